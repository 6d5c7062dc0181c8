#include "core/workspace/overlays/overlays.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/hlo/text/print.h"
#include "core/runtime/trace/thunk_times.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/thunks/thunk_runs.h"

namespace hilo {
namespace {

uint32_t idBoundOf(const Module& module) {
  uint32_t bound = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions())
      bound = std::max(bound, instruction->id().value + 1);
  }
  return bound;
}

Overlay timeOverlay(std::string title, const Module& module) {
  Overlay overlay;
  overlay.title = std::move(title);
  overlay.isNanoseconds = true;
  overlay.amounts.assign(idBoundOf(module), -1);
  return overlay;
}

// An id that is not valid has no place.
void addTime(Overlay& overlay, InstructionId instruction, int64_t ns) {
  if (!instruction.valid()) return;
  double& amount = overlay.amounts[instruction.value];
  amount = std::max(amount, 0.0) + static_cast<double>(ns);
}

// Passes keep ids and names: the id alone may be another instruction's where the run was of another module.
const Instruction* instructionOf(const ThunkTime& time, const Module& module) {
  const Instruction* same = module.instruction(InstructionId{time.instruction});
  return same != nullptr && same->name() == time.name ? same : module.findInstruction(time.name);
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

Result<Overlay> measuredTimes(std::shared_ptr<const Module> module,
                              const std::optional<WorkerOptions>& worker, const JobContext& context) {
  TRY(const Engine* engine, compilingEngine());
  TRY(const WalkedModule walked,
      walkedModule({.module = std::move(module), .engine = engine->name}, context));
  context.progress(-1, "compiling");
  TRY(const auto expanded, engine->compiler->expanded(walked.module, context.cancel()));
  TRY(CompiledModule compiled, engine->compiler->compile(expanded, {.runsPasses = false}, context.cancel()));
  const auto program = std::make_shared<const Program>(std::move(compiled.program));
  TRY(const ThunkRuns run, runThunks(program, walked.grid, walked.arguments, worker, false, context));
  Overlay overlay = timeOverlay("measured time", *walked.module);
  for (const ThunkTime& time : thunkTimes(*program, run.byItself))
    addTime(overlay, expandedFrom(*walked.module, *expanded, InstructionId{time.instruction}), time.totalNs);
  return overlay;
}

namespace {

Status forEachTime(const RunRecord& run, const Module& module,
                   const std::function<void(const Instruction&, const ThunkTime&)>& each) {
  if (run.thunkTimes.empty())
    return fail("no-thunk-times", fmt::format("run {} kept no times of thunks", run.id.value));
  bool isJoined = false;
  const bool isOfModule = module.name() == run.moduleName;
  for (const ThunkTime& time : run.thunkTimes) {
    const Instruction* instruction = isOfModule ? instructionOf(time, module) : nullptr;
    if (instruction == nullptr) continue;
    each(*instruction, time);
    isJoined = true;
  }
  if (isJoined) return {};
  return fail("other-module", fmt::format("run {} timed no instruction of {}: it ran {}", run.id.value,
                                          module.name(), run.moduleName));
}

}  // namespace

Result<Overlay> timesOfRun(const RunRecord& run, const Module& module) {
  Overlay overlay = timeOverlay(fmt::format("time in run {}", run.id.value), module);
  TRY_STATUS(forEachTime(run, module, [&](const Instruction& instruction, const ThunkTime& time) {
    addTime(overlay, instruction.id(), time.totalNs);
  }));
  return overlay;
}

Result<std::string> profileOfRun(const RunRecord& run, const Module& module) {
  std::map<uint32_t, double> nsOf;  // by the instruction's id
  TRY_STATUS(forEachTime(run, module, [&](const Instruction& instruction, const ThunkTime& time) {
    nsOf[instruction.id().value] +=
        static_cast<double>(time.totalNs) / static_cast<double>(std::max<int64_t>(1, time.times));
  }));
  std::string text;
  for (const auto& [id, ns] : nsOf)
    text += fmt::format("{},{:.3f}\n", module.instruction(InstructionId{id})->name(), ns / 1000);
  return text;
}

Overlay overlayOfValues(const ValueStudy& study, ValueFact fact) {
  Overlay overlay;
  overlay.title = fact == ValueFact::Magnitude ? "largest absolute value" : "NaN and Inf";
  overlay.groupsHaveMost = fact == ValueFact::Magnitude;
  overlay.amounts.assign(idBoundOf(*study.request().module), -1);
  for (const InstructionValue& value : study.entry().values) {
    double& amount = overlay.amounts[value.instruction];
    for (const ValueSummary& one : value.devices) {
      const auto notFinite = static_cast<double>(one.nan + one.inf);
      amount = std::max(amount, fact == ValueFact::Magnitude ? one.magnitude() : notFinite);
    }
  }
  return overlay;
}

Result<Overlay> overlayOfReshards(const Partitioning& partitioning, const Module& module) {
  if (partitioning.spread == nullptr) {
    return fail("not-sharded",
                fmt::format("{} was partitioned before: its moves are the collectives", module.name()));
  }
  std::vector<std::string> names(idBoundOf(module));
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const Instruction* spread = partitioning.spread->findInstruction(i->name());
      const Sharding* sharding = spread == nullptr ? nullptr : spread->get<Attr::Sharding>();
      if (sharding != nullptr) appendSharding(names[i->id().value], *sharding, false);
    }
  }
  Overlay overlay = makeNameOverlay("sharding", names);
  overlay.edgesTitle = "reshard";
  for (const Reshard& reshard : partitioning.reshards) {
    const Instruction* from = module.findInstruction(reshard.cause.producer.name);
    if (from == nullptr) continue;
    // Where the result itself is to lie otherwise, all its users take it so.
    const bool isOwn = reshard.cause.consumer.name == reshard.cause.producer.name;
    for (const Instruction* user : from->users()) {
      if (isOwn || user->name() == reshard.cause.consumer.name)
        overlay.edges.push_back({from->id(), user->id(), reshard.cause.text});
    }
  }
  return overlay;
}

Overlay overlayOfDifferences(const Divergence& divergence, const Module& module) {
  Overlay overlay;
  overlay.title = "difference in ULP";
  overlay.groupsHaveMost = true;
  overlay.amounts.assign(idBoundOf(module), -1);
  // What is infinitely far off is past all that is not.
  constexpr double kMost = 1e18;
  for (const StepComparison& step : divergence.steps)
    overlay.amounts[step.instruction] = std::min(step.worst.maxUlpError, kMost);
  return overlay;
}

}  // namespace hilo
