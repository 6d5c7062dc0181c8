#include "core/workspace/overlays.h"

#include <algorithm>

#include "core/plugin_host/plugin_table.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/cpu_engine.h"
#include "core/workspace/runs.h"

namespace hilo {
namespace {

constexpr int kRuns = 5;  // and one before, which does not count

using NanosecondsById = std::vector<int64_t>;

NanosecondsById sumByInstruction(const Program& program, const std::vector<ThunkEvent>& timings,
                                 size_t idBound) {
  NanosecondsById sums(idBound, -1);
  for (const ThunkEvent& timing : timings) {
    const Thunk& thunk = program.sequences[timing.sequence][timing.thunk];
    if (thunk.instruction >= idBound) continue;
    sums[thunk.instruction] = std::max<int64_t>(sums[thunk.instruction], 0) + timing.durationNs;
  }
  return sums;
}

uint32_t idBoundOf(const Module& module) {
  uint32_t bound = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions())
      bound = std::max(bound, instruction->id().value + 1);
  }
  return bound;
}

}  // namespace

Result<Overlay> changedByPass(const PassSeries& series, size_t step, const JobContext& context) {
  TRY(const auto module, series.steps[step].module());
  // Of each instruction whose pass is not found yet: what it is in the step looked at.
  std::vector<InstructionId> now(idBoundOf(*module));
  for (const Computation* computation : module->computations()) {
    for (const Instruction* instruction : computation->instructions())
      now[instruction->id().value] = instruction->id();
  }
  std::vector<std::string> names(now.size());
  for (size_t at = step; at > 0; --at) {
    if (context.cancelled()) return fail("cancelled", "stopped before all passes were compared");
    context.progress(static_cast<double>(step - at) / static_cast<double>(step), series.steps[at].name);
    TRY(const StepDiff diff, diffSteps(series, at - 1, at));
    for (size_t id = 0; id < now.size(); ++id) {
      if (!now[id].valid()) continue;
      const uint32_t here = now[id].value;
      if (diff.kindAfter[here] == ChangeKind::Same && diff.partnerAfter[here].valid()) {
        now[id] = diff.partnerAfter[here];
      } else {
        names[id] = series.steps[at].name;
        now[id] = {};
      }
    }
  }
  return makeNameOverlay("changed last by", names);
}

Result<Overlay> measuredTimes(std::shared_ptr<const Module> module, const JobContext& context) {
  context.progress(-1, "compiling");
  TRY(CompiledModule compiled, compileForCpu(module, {.runsPasses = false}, context.cancel()));
  const auto program = std::make_shared<const Program>(std::move(compiled.program));
  TRY(const auto executor, Executor::make(program, findCustomCall));
  TRY(const ArgumentSource arguments, settleArguments(*module, {}));
  const size_t idBound = idBoundOf(*module);
  std::vector<NanosecondsById> runs;
  for (int run = 0; run <= kRuns; ++run) {
    context.progress(static_cast<double>(run) / (kRuns + 1), "running");
    ThunkTrace trace;
    TRY_STATUS(
        executor->run(arguments.given, {.cancel = context.cancel(), .sequential = true, .trace = &trace}));
    if (run > 0) runs.push_back(sumByInstruction(*program, trace.events(), idBound));
  }
  Overlay overlay;
  overlay.title = "measured time";
  overlay.isNanoseconds = true;
  overlay.amounts.assign(idBound, -1);
  std::vector<int64_t> samples;
  for (size_t id = 0; id < idBound; ++id) {
    samples.clear();
    for (const NanosecondsById& run : runs) samples.push_back(run[id]);
    std::ranges::nth_element(samples, samples.begin() + kRuns / 2);
    overlay.amounts[id] = static_cast<double>(samples[kRuns / 2]);
  }
  return overlay;
}

}  // namespace hilo
