// Changes that may lower a peak, each stated so that it can be made here and by hand: passes over the
// compiled module, or a layout or a sharding of the module before it was compiled. One kind a function,
// listed in peak_changes.def.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workspace/peak/peak_base.h"

namespace hilo {

struct PeakChange {
  std::string kind;          // "donate", "recompute", ...: as in peak_changes.def
  std::string text;          // "compute %fusion.3 again behind the peak"
  std::string how = {};      // the same in the program, or as a flag; "" where there is no such thing
  InstructionId value = {};  // live at the base's peak, that it treats; invalid: not one alone
  // One of the three.
  std::vector<std::string> passes = {};  // as `hilo opt --passes` takes them
  std::optional<LayoutConstraint> layout = {};
  std::optional<ShardingConstraint> sharding = {};

  // How hilo says it: "hilo opt --passes='...'", "hilo layouts --try ...", "hilo partition --constrain ...".
  std::string command() const;
};

// Of all kinds, in the table's order; `notes` gets why there is none of a kind that could not be looked at.
// Error kind "cancelled".
Result<std::vector<PeakChange>> peakChanges(const PeakBase& base, const JobContext& context,
                                            std::vector<std::string>& notes);

}  // namespace hilo
