#include "core/workspace/memory/memory_plans.h"

#include <functional>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/overwritten_values.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/analysis/unpartitioned.h"
#include "core/base/amount_text.h"
#include "core/compiler/buffers/buffer_assigner.h"
#include "core/compiler/buffers/plan_check.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/compiler/passes/memory/deep_copy.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/hlo/dump/buffer_assignment_writer.h"
#include "core/workspace/memory/plan_files.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/path/open_path.h"

namespace hilo {
namespace {

void note(MemoryPlans& plans, std::string kind, std::string message) {
  plans.notes.push_back({Severity::kNote, std::move(kind), std::move(message), {.file = plans.path}, {}});
}

// Before a compiler flattens the calls many modules share computations; in a plan each caller's is another.
Status flatten(MemoryPlans& plans, const CancelToken& cancel) {
  TRY(auto flat, withFlatCalls(plans.module, cancel));
  if (std::exchange(plans.module, flat) != flat) note(plans, "calls-flattened", std::string(kCallsFlattened));
  return {};
}

struct CopiedModule {
  std::shared_ptr<const Module> module;
  std::vector<CopyVerdict> verdicts;
};

// The module with every copy it needs, and a word on each.
Result<CopiedModule> copiedModule(const Module& module, const CancelToken& cancel) {
  std::shared_ptr<Module> copied = module.clone();
  PassContext context(cancel);
  TRY_STATUS(insertCopies(*copied, context));
  std::vector<CopyVerdict> verdicts;
  for (Remark& remark : context.takeRemarks()) {
    if (remark.kind == "cloned") continue;
    // What was added has no name in the file: it is told by what it copies.
    const Instruction* copy = remark.kind == "added" ? copied->instruction(remark.instruction) : nullptr;
    CopyVerdict& verdict = verdicts.emplace_back(
        CopyVerdict{"%" + remark.name, remark.instruction, remark.kind, std::move(remark.message)});
    if (copy == nullptr) continue;
    verdict.name = nameBefore(*copy, module.idLimit());
    verdict.instruction = partBefore(*copy, module.idLimit()).first->id();
  }
  return CopiedModule{std::move(copied), std::move(verdicts)};
}

// When each value of a module is live, asked of it once for all that a plan needs.
struct LiveValues {
  explicit LiveValues(AliasAnalysis found) : aliases(std::move(found)), ranges(aliases) {}
  LiveValues(const LiveValues&) = delete;
  LiveValues& operator=(const LiveValues&) = delete;
  const AliasAnalysis aliases;
  const ValueLiveRanges ranges;
};

Result<std::unique_ptr<LiveValues>> liveValuesOf(const Module& module) {
  TRY(AliasAnalysis aliases, AliasAnalysis::run(module, backendOf(module)));
  return std::make_unique<LiveValues>(std::move(aliases));
}

Diagnostics overwritten(const ValueLiveRanges& ranges) {
  constexpr size_t kMost = 20;
  Diagnostics problems;
  const DataflowAnalysis& dataflow = ranges.aliases().dataflow();
  for (const OverwrittenValue& lost : overwrittenValues(ranges)) {
    if (problems.size() == kMost) break;
    const HloValue& value = dataflow.value(lost.value);
    problems.push_back({Severity::kError,
                        "value-overwritten",
                        overwrittenText(dataflow, lost),
                        {.computation = std::string(value.instruction().parent().name()),
                         .instruction = std::string(value.instruction().name())},
                        {}});
  }
  return problems;
}

// A plan of values that share places they cannot share is none: the module gets the copies it lacks.
Status addMissingCopies(MemoryPlans& plans, std::unique_ptr<LiveValues>& live, const CancelToken& cancel) {
  const Diagnostics lost = overwritten(live->ranges);
  if (lost.empty()) return {};
  TRY(CopiedModule copied, copiedModule(*plans.module, cancel));
  int64_t count = 0, bytes = 0;
  for (const CopyVerdict& verdict : copied.verdicts) count += verdict.verdict == "added" ? 1 : 0;
  for (uint32_t id = plans.module->idLimit(); id < copied.module->idLimit(); ++id) {
    const Instruction* copy = copied.module->instruction(InstructionId{id});
    if (copy != nullptr && copy->opcode() == Opcode::Copy) bytes += copy->shape().byteSize();
  }
  if (count == 0) return {};
  note(plans, "copies-missing",
       fmt::format("{} copies of {} are missing, and the plan is of the module with them (listed "
                   "under copies): {}",
                   count, amount::bytes(bytes), lost[0].message));
  TRY(live, liveValuesOf(*copied.module));
  plans.module = std::move(copied.module);
  plans.copies = std::move(copied.verdicts);
  return {};
}

MemoryPlan makePlan(const ValueLiveRanges& ranges, const PlanValues& values, BufferAssignment assignment,
                    const Diagnostics& lost) {
  MemoryPlan plan{.assignment = std::move(assignment)};
  plan.profile = profileMemory(ranges, values, plan.assignment);
  plan.problems = checkBufferPlan(ranges, values, plan.assignment);
  plan.problems.insert(plan.problems.end(), lost.begin(), lost.end());
  plan.ends = heapEnds(plan.profile, plan.assignment);
  return plan;
}

Status planOn(MemoryPlans& plans, const LiveValues& live, std::optional<XlaPlan> xla,
              const MemoryPlanOptions& options) {
  const ValueLiveRanges& ranges = live.ranges;
  for (const Instruction* instruction : ranges.sequence()) plans.sequence.push_back(instruction->id());
  plans.liveBytes = memoryUsage(ranges).peakBytes;
  const Diagnostics lost = overwritten(ranges);
  const PlanValues values(live.aliases.dataflow());
  if (xla) {
    plans.notes.insert(plans.notes.end(), xla->notes.begin(), xla->notes.end());
    plans.xla = makePlan(ranges, values, std::move(xla->assignment), lost);
  }
  if (options.hilo) {
    TRY(BufferAssignment hilo, assignBuffers(ranges, {.cancel = options.cancel}));
    plans.hilo = makePlan(ranges, values, std::move(hilo), lost);
  }
  if (plans.xla && plans.hilo)
    plans.differences = comparePlacements(plans.xla->profile, plans.xla->assignment, plans.hilo->profile,
                                          plans.hilo->assignment);
  plans.aliases = mustAliases(live.aliases);
  return {};
}

// Finds XLA's plan of the module, asked where that is wanted.
using PlanSource = std::function<Result<std::optional<XlaPlan>>()>;

Result<MemoryPlans> planModule(std::shared_ptr<const Module> planned, const OpenedFile* file,
                               const PlanSource& planSource, const MemoryPlanOptions& options) {
  MemoryPlans plans{.module = std::move(planned), .path = file == nullptr ? "" : file->path};
  if (const Status sound = requireVerified(*plans.module); !sound)
    return std::unexpected(file == nullptr ? sound.error() : placedIn(*file, sound.error()));
  if (isUnpartitioned(*plans.module)) note(plans, "not-partitioned", unpartitionedText(*plans.module));
  TRY_STATUS(flatten(plans, options.cancel));
  if (!plans.module->isScheduled())
    note(plans, "not-scheduled", "the module is not scheduled: the order of the text is used");
  std::optional<XlaPlan> xla;
  if (options.xla) {
    TRY(xla, planSource());
    if (!xla) note(plans, "no-xla-plan", "no XLA buffer assignment found");
  }
  TRY(auto live, liveValuesOf(*plans.module));
  if (!xla && options.hilo) TRY_STATUS(addMissingCopies(plans, live, options.cancel));
  if (options.copies && plans.copies.empty()) {
    TRY(plans.copies, judgeCopies(*plans.module, options.cancel));
  }
  TRY_STATUS(planOn(plans, *live, std::move(xla), options));
  return plans;
}

bool endsCompilation(const DumpModuleInfo& module) {
  return !module.stages.empty() && module.stages.back().name.ends_with("after_optimizations");
}

Result<std::optional<XlaPlan>> planBeside(const OpenedFile* file) {
  if (file == nullptr) return std::nullopt;
  return planOfFile(*file);
}

// The last stage the compiler wrote, and XLA's plan of it.
Result<std::vector<MemoryPlans>> planDump(const OpenedDump& dump, const MemoryPlanOptions& options) {
  std::vector<MemoryPlans> all;
  for (size_t i = 0; i < dump.modules.size(); ++i) {
    if (!endsCompilation(dump.modules[i])) continue;
    if (options.cancel.cancelled()) return fail("cancelled", "planning memory was cancelled");
    TRY(auto file, loadStage(dump, i, dump.modules[i].stages.size() - 1));
    if (hasErrors(file->diagnostics)) return std::unexpected(file->diagnostics[0]);
    TRY(MemoryPlans plans, planMemory(dump, i, *file, true, options));
    all.push_back(std::move(plans));
  }
  if (all.empty())
    return fail("no-compiled-module", fmt::format("{} has no module after optimizations", dump.path));
  return all;
}

}  // namespace

Result<std::vector<MemoryPlans>> planMemory(const std::string& path, const MemoryPlanOptions& options) {
  std::string modulePath = path, planPath;
  if (path.ends_with(kPlanEnding)) {
    planPath = path;
    modulePath = path.substr(0, path.size() - kPlanEnding.size()) + ".txt";
  }
  TRY(const OpenedItem opened, openItem(modulePath, options.cancel));
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&opened))
    return planDump(**dump, options);
  const auto& file = std::get<std::shared_ptr<const OpenedFile>>(opened);
  if (hasErrors(file->diagnostics)) return std::unexpected(file->diagnostics[0]);
  const auto source = [&]() -> Result<std::optional<XlaPlan>> {
    if (planPath.empty()) return planOfFile(*file);
    return planAtPath(planPath);
  };
  TRY(MemoryPlans plans, planModule(file->module, file.get(), source, options));
  std::vector<MemoryPlans> all;
  all.push_back(std::move(plans));
  return all;
}

Result<std::vector<CopyVerdict>> judgeCopies(const Module& module, const CancelToken& cancel) {
  TRY(CopiedModule copied, copiedModule(module, cancel));
  return std::move(copied.verdicts);
}

Result<MemoryPlans> planMemory(std::shared_ptr<const Module> module, const OpenedFile* file,
                               const MemoryPlanOptions& options) {
  const auto beside = [file] { return planBeside(file); };
  return planModule(std::move(module), file, beside, options);
}

Result<MemoryPlans> planMemory(const OpenedDump& dump, size_t moduleIndex, const OpenedFile& stage,
                               bool isLastStage, const MemoryPlanOptions& options) {
  const auto source = [&]() -> Result<std::optional<XlaPlan>> {
    if (isLastStage) {
      TRY(auto plan, planOfDump(dump, dump.modules[moduleIndex]));
      if (plan) return plan;
    }
    return planOfFile(stage);
  };
  return planModule(stage.module, &stage, source, options);
}

std::string printPlan(const MemoryPlan& plan) { return printBufferAssignment(plan.assignment); }

}  // namespace hilo
