// Does a profile know the instructions whose times matter? Copies, loops and what does nothing at run time
// are not asked for; of an asynchronous pair the start is. Looks at the entry and at bodies of loops. Matches
// GPUProfileStatisticsAggregator and CheckAccuracy of XLA's profile_guided_latency_estimator.cc.
#pragma once

#include "core/analysis/cost/profile_latency.h"

namespace hilo {

struct ProfileCoverage {
  int64_t found = 0;
  std::vector<const Instruction*> missing;  // each once, in the module's order
};
ProfileCoverage profileCoverage(const LatencyProfile& profile, const Module& module);

// Error kind "profile-incomplete", with the first missing instructions in the notes.
Status requireFullProfile(const LatencyProfile& profile, const Module& module);

}  // namespace hilo
