#include "core/compiler/passes/schedule/schedule_aware_combiner.h"

#include "core/analysis/async_op.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/passes/collectives/collective_combiner.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/compiler/schedule/memory_scheduler.h"

namespace hilo {
namespace {

constexpr std::string_view kMark = "hilo_collective";

// Frontend attributes go along with a collective wherever it goes.
void markCollectives(Module& module) {
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (!isCollectiveCommunication(i->opcode())) continue;
      const auto old = i->get<Attr::FrontendAttributes>();
      std::vector<FrontendAttribute> all(old.begin(), old.end());
      const std::string id = fmt::format("{}", i->id().value);
      all.push_back({kMark, id});
      i->set<Attr::FrontendAttributes>(all);
    }
  }
}

bool isHidden(const Instruction& start) {
  for (const Instruction* i = start.next(); i != nullptr; i = i->next()) {
    if (i->operandCount() > 0 && i->operand(0) == &start) return false;
    if (!isNopForScheduling(*i)) return true;
  }
  return true;  // its done is elsewhere
}

}  // namespace

Result<TrialSchedule> scheduleOnTrial(const Module& module, const CombinerBudget& budget) {
  const auto trial = module.clone();
  markCollectives(*trial);
  PassContext unheard;
  TRY_STATUS(createAsyncCollectives(*trial, unheard));
  TRY_STATUS(scheduleForMemory(*trial, MemorySchedulerKind::Best, {}));
  TRY(const LatencyHidingResult scheduled, scheduleToHideLatency(*trial, {.config = gpuSchedulerConfig()}));
  TrialSchedule result{.peakBytes = scheduled.peakBytes};
  result.thresholdBytes = budget.deviceBytes / 100 * budget.usablePercent - scheduled.peakBytes;
  for (const Computation* computation : trial->computations()) {
    for (const Instruction* i : computation->instructions()) {
      const auto id = frontendAttribute(*i, kMark);
      const bool isStart = canonicalAsyncOp(*i, false).role == AsyncRole::Start;
      if (!id || !isStart || isHidden(*i)) continue;
      result.unhidden.push_back(InstructionId{static_cast<uint32_t>(std::stoul(std::string(*id)))});
    }
  }
  return result;
}

Result<bool> combineByTrialSchedule(Module& module, PassContext& context, const CombinerBudget& budget) {
  if (module.isScheduled()) {
    return fail("already-scheduled", "collectives are combined before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  TRY(const TrialSchedule trial, scheduleOnTrial(module, budget));
  absl::flat_hash_set<InstructionId> unhidden(trial.unhidden.begin(), trial.unhidden.end());
  bool changed = false;
  for (const Opcode opcode : {Opcode::AllGather, Opcode::ReduceScatter, Opcode::AllReduce}) {
    if (trial.thresholdBytes > 0) {
      TRY(const bool combined,
          combineCollectives(module, context, opcode,
                             {.bytes = trial.thresholdBytes, .count = budget.thresholdCount},
                             [&](const Instruction& i) { return unhidden.contains(i.id()); }));
      changed |= combined;
    }
    TRY(const bool combined,
        combineCollectives(module, context, opcode,
                           {.bytes = budget.thresholdBytes, .count = budget.thresholdCount}));
    changed |= combined;
  }
  return changed;
}

}  // namespace hilo
