// Orders that keep few bytes live. Behave like XLA's hlo/transforms/simplifiers/hlo_memory_scheduler.cc.
#pragma once

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/base/cancel.h"

namespace hilo {

enum class MemorySchedulerKind : uint8_t {
  List,        // greedy: what frees most first
  DepthFirst,  // operands with many users and large values first
  PostOrder,   // operands first, no choice
  Best,        // whichever of the three has the lowest peak
};
std::string_view memorySchedulerName(MemorySchedulerKind kind);

// An order of one computation, operands first.
std::vector<Instruction*> memoryOrder(const Computation& computation, const AliasAnalysis& alias,
                                      MemorySchedulerKind kind);

struct MemoryScheduleResult {
  MemorySchedulerKind chosen = MemorySchedulerKind::List;
  int64_t peakBytes = 0;
  bool changed = false;
};
// Orders every computation that is not fused and marks the module as scheduled. Error kinds: "cancelled" and
// those of AliasAnalysis::run.
Result<MemoryScheduleResult> scheduleForMemory(Module& module, MemorySchedulerKind kind,
                                               const CancelToken& cancel = {});

}  // namespace hilo
