// The functions of peak_changes.def, and what several of them ask. Private to the room.
#pragma once

#include "core/workspace/peak/peak_changes.h"

namespace hilo {

#define PEAK_CHANGES(kind, function) \
  Result<std::vector<PeakChange>> function(const PeakBase& base, const JobContext& context);
#include "core/workspace/peak/peak_changes.def"
#undef PEAK_CHANGES

// Instructions whose values are live at the base's peak, largest first. No parameters, no constants.
std::vector<const Instruction*> liveAtPeak(const PeakBase& base);

}  // namespace hilo
