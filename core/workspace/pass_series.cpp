#include "core/workspace/pass_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/hlo/text/print.h"

namespace hilo {

struct SeriesStep::Slot {
  std::mutex mutex;
  std::shared_ptr<const Module> module;
  std::function<Result<std::shared_ptr<const Module>>()> load;
};

Result<std::shared_ptr<const Module>> SeriesStep::module() const {
  const std::lock_guard lock(slot->mutex);
  if (slot->module == nullptr) {
    TRY(slot->module, slot->load());
  }
  return slot->module;
}

std::shared_ptr<const Module> SeriesStep::moduleIfLoaded() const {
  // While another thread reads the file there is nothing to give yet.
  const std::unique_lock lock(slot->mutex, std::try_to_lock);
  return lock.owns_lock() ? slot->module : nullptr;
}

SeriesStep makeStep(std::string name, std::shared_ptr<const Module> module) {
  SeriesStep step{.name = std::move(name), .slot = std::make_shared<SeriesStep::Slot>()};
  step.slot->module = std::move(module);
  return step;
}

SeriesStep makeLazyStep(std::string name, std::function<Result<std::shared_ptr<const Module>>()> load) {
  SeriesStep step{.name = std::move(name), .slot = std::make_shared<SeriesStep::Slot>()};
  step.slot->load = std::move(load);
  return step;
}

PassSeries seriesFromDump(std::shared_ptr<const OpenedDump> dump, size_t moduleIndex) {
  PassSeries series;
  const DumpModuleInfo& info = dump->modules[moduleIndex];
  series.title = info.name;
  for (size_t n = 0; n < info.stages.size(); ++n) {
    const DumpStageInfo& stage = info.stages[n];
    SeriesStep step = makeLazyStep(stage.pass.empty() ? stage.name : stage.pass,
                                   [dump, moduleIndex, n]() -> Result<std::shared_ptr<const Module>> {
                                     TRY(const auto file, loadStage(*dump, moduleIndex, n));
                                     return file->module;
                                   });
    step.pipeline = stage.pipeline;
    step.path = stage.path;
    series.steps.push_back(std::move(step));
  }
  return series;
}

Result<StepDiff> diffSteps(const PassSeries& series, size_t before, size_t after) {
  TRY(const auto left, series.steps[before].module());
  TRY(const auto right, series.steps[after].module());
  return diffModules(*left, *right, series.sharedIds);
}

Result<SideBySide> sideBySide(const PassSeries& series, size_t before, size_t after, TextForm form) {
  TRY(const auto left, series.steps[before].module());
  TRY(const auto right, series.steps[after].module());
  SideBySide both{.left = printForView(left, form), .right = printForView(right, form)};
  both.diff = diffLines(splitLines(both.left.text), splitLines(both.right.text));
  return both;
}

namespace {

HistoryEntry entryOf(size_t step, ChangeKind kind, const Instruction& instruction, std::string what) {
  return {.step = step,
          .kind = kind,
          .id = instruction.id(),
          .name = std::string(instruction.name()),
          .text = printInstruction(instruction),
          .what = std::move(what)};
}

// Where `diff` says the instruction changed: the entry of its change.
const InstructionChange* changeOf(const StepDiff& diff, InstructionId after) {
  const auto found = std::ranges::find_if(diff.changes, [&](const auto& change) {
    return change.kind == ChangeKind::Changed && change.after == after;
  });
  return found == diff.changes.end() ? nullptr : &*found;
}

// From `step` back to where the instruction came from; entries newest first. Its first is always an Added
// one.
Status followBack(const PassSeries& series, size_t step, InstructionId id, const CancelToken& cancel,
                  std::vector<HistoryEntry>& entries) {
  for (size_t n = step;; --n) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    TRY(const auto module, series.steps[n].module());
    const Instruction* instruction = module->instruction(id);
    if (instruction == nullptr)
      return fail("no-such-instruction", "the instruction is not in this step's module");
    if (n == 0) {
      entries.push_back(entryOf(n, ChangeKind::Added, *instruction, ""));
      return {};
    }
    TRY(const StepDiff diff, diffSteps(series, n - 1, n));
    const InstructionId before = diff.partnerAfter[id.value];
    if (!before.valid()) {
      entries.push_back(entryOf(n, ChangeKind::Added, *instruction, ""));
      return {};
    }
    if (const InstructionChange* change = changeOf(diff, id)) {
      entries.push_back(entryOf(n, ChangeKind::Changed, *instruction, change->what));
    }
    id = before;
  }
}

// From the step after `step` to the end, or to where it was removed.
Status followForward(const PassSeries& series, size_t step, InstructionId id, const CancelToken& cancel,
                     std::vector<HistoryEntry>& entries) {
  for (size_t n = step + 1; n < series.steps.size(); ++n) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    TRY(const StepDiff diff, diffSteps(series, n - 1, n));
    TRY(const auto before, series.steps[n - 1].module());
    TRY(const auto after, series.steps[n].module());
    const InstructionId next = diff.partnerBefore[id.value];
    if (!next.valid()) {
      entries.push_back(
          {.step = n, .kind = ChangeKind::Removed, .name = std::string(before->instruction(id)->name())});
      return {};
    }
    if (const InstructionChange* change = changeOf(diff, next)) {
      entries.push_back(entryOf(n, ChangeKind::Changed, *after->instruction(next), change->what));
    }
    id = next;
  }
  return {};
}

}  // namespace

Result<std::vector<HistoryEntry>> instructionHistory(const PassSeries& series, size_t step, InstructionId id,
                                                     const CancelToken& cancel) {
  std::vector<HistoryEntry> entries;
  TRY_STATUS(followBack(series, step, id, cancel, entries));
  std::ranges::reverse(entries);
  TRY_STATUS(followForward(series, step, id, cancel, entries));
  return entries;
}

}  // namespace hilo
