// Two peaks of memory told apart: what is live at the peak of one module's plan and not at that of another's,
// matched as modules are. Plain data, by position in the profiles.
#pragma once

#include <string_view>
#include <vector>

#include "core/analysis/diff/module_matching.h"
#include "core/analysis/memory/memory_profile.h"

namespace hilo {

// Why what lies at a place here has no place at the other's peak.
enum class PeakAbsence : uint8_t {
  NoInstruction,  // nothing of the other module is this instruction
  NoBytes,        // its counterpart has none of its own there: it is fused, or an alias
  NotLive,        // its counterpart is live at other steps
  Shared,         // its counterpart lies where that of another place does
};
std::string_view peakAbsenceName(PeakAbsence absence);  // "not in the other module", ...

struct PeakOnly {
  size_t value = 0;   // the largest that lies at the place
  int64_t bytes = 0;  // of the place
  PeakAbsence absence = PeakAbsence::NoInstruction;
};
// One place at both peaks.
struct PeakBoth {
  size_t valueA = 0, valueB = 0;
  int64_t bytesA = 0, bytesB = 0;
};

// Each largest first. The bytes of `onlyA` and of A in `both` add up to the peak of A, and so of B.
struct PeakDiff {
  std::vector<PeakOnly> onlyA, onlyB;
  std::vector<PeakBoth> both;
};

// `matching` is of the modules the profiles are of, A before B. Parameters and constants are among them.
PeakDiff diffPeaks(const MemoryProfile& a, const MemoryProfile& b, const ModuleMatching& matching);

}  // namespace hilo
