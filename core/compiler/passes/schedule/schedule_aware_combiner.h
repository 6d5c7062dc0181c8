// Combines collectives by what a schedule makes of them: the module is scheduled once on trial. Collectives
// that nothing hides are combined as far as the memory left over allows - fewer of them cost less - and the
// others as the plain combiners do. Behaves like XLA's
// backends/gpu/transforms/collectives/collective_combiner_annotator.cc with the combiners for GPU.
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/collectives/collective_combiner.h"

namespace hilo {

struct CombinerBudget {
  int64_t deviceBytes = int64_t{80} << 30;
  int64_t usablePercent = 95;  // of them
  // Of one combined collective; the bytes only where work hides it.
  int64_t thresholdBytes = CombinerLimits().bytes;
  int64_t thresholdCount = CombinerLimits().count;
};

// What the trial says. On a module without a schedule.
struct TrialSchedule {
  int64_t peakBytes = 0;
  int64_t thresholdBytes = 0;           // left over; 0 or less: none
  std::vector<InstructionId> unhidden;  // collectives with no work between start and done
};
Result<TrialSchedule> scheduleOnTrial(const Module& module, const CombinerBudget& budget);

// Error kinds: "already-scheduled" and those of the schedulers.
Result<bool> combineByTrialSchedule(Module& module, PassContext& context, const CombinerBudget& budget = {});

}  // namespace hilo
