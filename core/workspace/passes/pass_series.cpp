#include "core/workspace/passes/pass_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/hlo/text/print.h"
#include "core/workspace/passes/lineage_partners.h"

namespace hilo {

struct SeriesStep::Slot {
  std::mutex reading;  // held while the file is read
  std::mutex mutex;    // of `module` alone, held for a moment
  std::shared_ptr<const Module> module;
  std::function<Result<std::shared_ptr<const Module>>()> load;
};

Result<std::shared_ptr<const Module>> SeriesStep::module() const {
  if (auto known = moduleIfLoaded()) return known;
  const std::lock_guard reading(slot->reading);
  if (auto known = moduleIfLoaded()) return known;  // by another thread meanwhile
  TRY(auto module, slot->load());
  const std::lock_guard lock(slot->mutex);
  slot->module = std::move(module);
  return slot->module;
}

std::shared_ptr<const Module> SeriesStep::moduleIfLoaded() const {
  const std::lock_guard lock(slot->mutex);
  return slot->module;
}

SeriesStep makeStep(std::string name, std::shared_ptr<const Module> module, StepKind kind) {
  SeriesStep step{.kind = kind, .name = std::move(name), .slot = std::make_shared<SeriesStep::Slot>()};
  step.slot->module = std::move(module);
  return step;
}

SeriesStep makeLazyStep(std::string name, std::function<Result<std::shared_ptr<const Module>>()> load) {
  SeriesStep step{
      .kind = StepKind::DumpStage, .name = std::move(name), .slot = std::make_shared<SeriesStep::Slot>()};
  step.slot->load = std::move(load);
  return step;
}

std::optional<size_t> PassSeries::previousOf(size_t step) const {
  for (size_t n = step; n-- > 0;) {
    if (isTheirs(n) == isTheirs(step)) return n;
  }
  return std::nullopt;
}

std::optional<size_t> PassSeries::nextOf(size_t step) const {
  for (size_t n = step + 1; n < steps.size(); ++n) {
    if (isTheirs(n) == isTheirs(step)) return n;
  }
  return std::nullopt;
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
  return diffModules(*left, *right, {.sharedIds = series.shareIds(before, after)});
}

PassSeries comparisonSeries(SeriesStep before, SeriesStep after) {
  PassSeries series;
  series.title = fmt::format("{} and {}", before.name, after.name);
  for (SeriesStep* step : {&before, &after}) {
    step->outcome.reset();
    step->settings.clear();
    step->durationNs = -1;
    step->remarks.clear();
    series.steps.push_back(std::move(*step));
  }
  return series;
}

namespace {

bool hasRenamed(const Module& before, const Module& after, const ModuleMatching& matching) {
  return std::ranges::any_of(before.computations(), [&](const Computation* c) {
    return std::ranges::any_of(c->instructions(), [&](const Instruction* i) {
      const Instruction* partner = after.instruction(matching.after(*i));
      return partner != nullptr && partner->name() != i->name();
    });
  });
}

// The text of `before`, line for line, with the names that matched instructions and computations
// have in `after`.
std::string textWithNamesOf(const Module& before, const Module& after, const ModuleMatching& matching,
                            TextForm form) {
  const std::unique_ptr<Module> renamed = before.clone();
  for (Computation* c : renamed->computations()) {
    const ComputationId other = matching.computationAfter[c->id().value];
    if (other.valid()) c->setName(after.computation(other)->name());
    for (Instruction* i : c->instructions()) {
      const InstructionId partner = matching.after(*i);
      if (partner.valid()) i->setName(after.instruction(partner)->name());
    }
  }
  return printForView(std::shared_ptr<const Module>(renamed.get(), [](const Module*) {}), form).text;
}

// Within a stretch of differing lines, only what is matched stands side by side.
class StretchPairer {
 public:
  StretchPairer(const SideBySide& both, const ModuleMatching& matching, const StepDiff& changes)
      : both_(both), matching_(matching), changes_(changes) {}

  // Takes the rows of one stretch and appends what becomes of them.
  void pair(std::span<const DiffRow> rows, std::vector<DiffRow>& out) const {
    std::vector<uint32_t> left, right;
    for (const DiffRow& row : rows) {
      if (row.left != DiffRow::kNoLine) left.push_back(row.left);
      if (row.right != DiffRow::kNoLine) right.push_back(row.right);
    }
    size_t next = 0;  // in left
    for (const uint32_t line : right) {
      const auto partner =
          std::lower_bound(left.begin() + static_cast<ptrdiff_t>(next), left.end(),
                           partnerLine(line, next < left.size() ? left[next] : DiffRow::kNoLine));
      if (partner == left.end() || !arePartners(*partner, line)) {
        out.push_back({DiffKind::Added, DiffRow::kNoLine, line});
        continue;
      }
      for (; left[next] != *partner; ++next) out.push_back({DiffKind::Removed, left[next], DiffRow::kNoLine});
      out.push_back({isSame(line) ? DiffKind::Same : DiffKind::Changed, left[next++], line});
    }
    for (; next < left.size(); ++next) out.push_back({DiffKind::Removed, left[next], DiffRow::kNoLine});
  }

 private:
  // Where the partner of a line on the right would stand; `otherwise` for lines that name nothing.
  uint32_t partnerLine(uint32_t rightLine, uint32_t otherwise) const {
    const TextLine& line = both_.right.lines[rightLine];
    if (!line.instruction.valid()) return otherwise;
    const size_t found = both_.left.lineOf(matching_.instructionBefore[line.instruction.value]);
    return found == PrintedModule::npos ? DiffRow::kNoLine : static_cast<uint32_t>(found);
  }

  // Only written differently: renumbered, or from another line of the source. The tables of the sources are
  // what metadata is written with.
  bool isSame(uint32_t rightLine) const {
    const TextLine& line = both_.right.lines[rightLine];
    if (line.instruction.valid()) return changes_.kindAfter[line.instruction.value] == ChangeKind::Same;
    return !line.computation.valid() && rightLine > 0;
  }

  bool arePartners(uint32_t leftLine, uint32_t rightLine) const {
    const TextLine &l = both_.left.lines[leftLine], &r = both_.right.lines[rightLine];
    if (l.instruction.valid() || r.instruction.valid())
      return r.instruction.valid() && matching_.instructionBefore[r.instruction.value] == l.instruction;
    // Heads and braces of computations; lines of the header and its tables.
    if (l.computation.valid() || r.computation.valid())
      return r.computation.valid() && matching_.computationBefore[r.computation.value] == l.computation;
    return true;
  }

  const SideBySide& both_;
  const ModuleMatching& matching_;
  const StepDiff& changes_;
};

uint32_t lineIn(const PrintedModule& printed, auto id) {
  const size_t line = id.valid() ? printed.lineOf(id) : PrintedModule::npos;
  return line == PrintedModule::npos ? DiffRow::kNoLine : static_cast<uint32_t>(line);
}

// The line of the other side for each line of this one, by what is matched. A closing brace has no name
// of its own.
std::vector<uint32_t> partnersOf(const PrintedModule& side, const PrintedModule& other,
                                 const std::vector<InstructionId>& instructions,
                                 const std::vector<ComputationId>& computations) {
  std::vector<uint32_t> partners(side.lineCount(), DiffRow::kNoLine);
  for (size_t n = 0; n < partners.size(); ++n) {
    const TextLine& line = side.lines[n];
    if (line.instruction.valid()) {
      partners[n] = lineIn(other, instructions[line.instruction.value]);
    } else if (line.computation.valid() && side.lineOf(line.computation) == n) {
      partners[n] = lineIn(other, computations[line.computation.value]);
    }
  }
  return partners;
}

// A line that stands alone though it has a partner has gone to another place.
void markMoved(SideBySide& both, const ModuleMatching& matching) {
  both.leftPartner = partnersOf(both.left, both.right, matching.instructionAfter, matching.computationAfter);
  both.rightPartner =
      partnersOf(both.right, both.left, matching.instructionBefore, matching.computationBefore);
  for (DiffRow& row : both.diff.rows) {
    const bool movedAway = row.kind == DiffKind::Removed && both.leftPartner[row.left] != DiffRow::kNoLine;
    const bool movedHere = row.kind == DiffKind::Added && both.rightPartner[row.right] != DiffRow::kNoLine;
    if (movedAway || movedHere) row.kind = DiffKind::Moved;
  }
}

void pairPartners(SideBySide& both, const ModuleMatching& matching, const StepDiff& changes) {
  const StretchPairer pairer(both, matching, changes);
  const std::span<const DiffRow> rows = both.diff.rows;
  LineDiff diff;
  for (size_t first = 0; first < rows.size();) {
    if (rows[first].kind == DiffKind::Same) {
      diff.rows.push_back(rows[first++]);
      continue;
    }
    size_t last = first;
    while (last < rows.size() && rows[last].kind != DiffKind::Same) ++last;
    pairer.pair(rows.subspan(first, last - first), diff.rows);
    first = last;
  }
  both.diff = std::move(diff);
  markMoved(both, matching);
  for (const DiffRow& row : both.diff.rows) {
    both.diff.added += row.kind == DiffKind::Added;
    both.diff.removed += row.kind == DiffKind::Removed;
    both.diff.changed += row.kind == DiffKind::Changed;
    both.diff.moved += row.kind == DiffKind::Moved && row.right != DiffRow::kNoLine;
  }
}

}  // namespace

Result<SideBySide> sideBySide(const PassSeries& series, size_t before, size_t after, TextForm form) {
  TRY(const auto left, series.steps[before].module());
  TRY(const auto right, series.steps[after].module());
  SideBySide both{.left = printForView(left, form), .right = printForView(right, form)};
  const ModuleMatching matching = matchModules(*left, *right, series.shareIds(before, after));
  const std::string renamed =
      hasRenamed(*left, *right, matching) ? textWithNamesOf(*left, *right, matching, form) : std::string();
  both.diff = diffLines(splitLines(renamed.empty() ? both.left.text : renamed), splitLines(both.right.text));
  pairPartners(both, matching, diffMatched(*left, *right, matching));
  addLineagePartners(both, matching);
  return both;
}

namespace {

HistoryEntry entryOf(size_t step, ChangeKind kind, const Instruction& instruction, InstructionId before,
                     std::string what) {
  return {.step = step,
          .kind = kind,
          .before = before,
          .id = instruction.id(),
          .name = std::string(instruction.name()),
          .text = printInstruction(instruction),
          .what = std::move(what)};
}

// Where `diff` says the instruction changed: the entry of its change.
const InstructionChange* changeOf(const StepDiff& diff, InstructionId after) {
  for (const auto* list : {&diff.changes, &diff.reordered}) {
    const auto found = std::ranges::find_if(
        *list, [&](const auto& change) { return change.kind != ChangeKind::Added && change.after == after; });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

// From `step` back to where the instruction came from; entries newest first. Its first is always
// an Added one.
Status followBack(const PassSeries& series, size_t step, InstructionId id, const CancelToken& cancel,
                  std::vector<HistoryEntry>& entries) {
  for (size_t n = step;;) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    TRY(const auto module, series.steps[n].module());
    const Instruction* instruction = module->instruction(id);
    if (instruction == nullptr)
      return fail("no-such-instruction", "the instruction is not in this step's module");
    const std::optional<size_t> previous = series.previousOf(n);
    if (!previous) {
      entries.push_back(entryOf(n, ChangeKind::Added, *instruction, {}, ""));
      return {};
    }
    TRY(const StepDiff diff, diffSteps(series, *previous, n));
    const InstructionId before = diff.partnerAfter[id.value];
    if (!before.valid()) {
      entries.push_back(entryOf(n, ChangeKind::Added, *instruction, {}, ""));
      return {};
    }
    if (const InstructionChange* change = changeOf(diff, id)) {
      entries.push_back(entryOf(n, change->kind, *instruction, before, change->what));
    }
    id = before;
    n = *previous;
  }
}

// From the step after `step` to the end, or to where it was removed.
Status followForward(const PassSeries& series, size_t step, InstructionId id, const CancelToken& cancel,
                     std::vector<HistoryEntry>& entries) {
  for (size_t last = step; const std::optional<size_t> next = series.nextOf(last); last = *next) {
    const size_t n = *next;
    if (cancel.cancelled()) return fail("cancelled", "cancelled");
    TRY(const StepDiff diff, diffSteps(series, last, n));
    TRY(const auto before, series.steps[last].module());
    TRY(const auto after, series.steps[n].module());
    const InstructionId there = diff.partnerBefore[id.value];
    if (!there.valid()) {
      entries.push_back({.step = n,
                         .kind = ChangeKind::Removed,
                         .before = id,
                         .name = std::string(before->instruction(id)->name()),
                         .what = "removed by " + series.steps[n].name});
      return {};
    }
    if (const InstructionChange* change = changeOf(diff, there)) {
      entries.push_back(entryOf(n, change->kind, *after->instruction(there), id, change->what));
    }
    id = there;
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
