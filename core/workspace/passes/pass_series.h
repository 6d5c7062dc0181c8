// A pipeline as a series of snapshots: Hilo's own run, or the pass files of a dump. And what a step changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/diff/line_diff.h"
#include "core/analysis/diff/module_diff.h"
#include "core/compiler/pass/pass.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/text/printed_module.h"

namespace hilo {

class Lineage;

// Input: a module as it was given, such as what Hilo's own passes ran over. Lowering: buffers and emit
// (loweringSteps()). DumpStage: a file of a dump, written after a pass.
enum class StepKind : uint8_t { Input, Pass, Lowering, DumpStage };

// A module as it stood at one step. Copies share the module.
struct SeriesStep {
  StepKind kind = StepKind::Input;
  std::string name;      // the pass; "input" (or the dump's first stage) for step 0
  std::string pipeline;  // "" when not known
  // What came of a pass. Of lowering Unchanged, or Failed where the module cannot be compiled. None: not
  // known, as of every stage of a dump.
  std::optional<PassOutcome> outcome;
  std::vector<EffectiveSetting> settings;  // that the pass ran with, all of them
  // Of a step of lowering what it made, in a line: "2 allocations, 12.5 MiB". Its module is the one before;
  // its remarks are what it decided.
  std::string made;
  int64_t durationNs = -1;      // -1: not known
  bool asksNoFuel = false;      // it changed the module, and its rewrites cannot be limited (pass/fuel.h)
  std::vector<Remark> remarks;  // of an instruction that may be invalid
  std::string path;             // the dump file; "" for Hilo's own

  bool changed() const { return outcome == PassOutcome::Changed; }
  // Disabled or absent; or of lowering: the module cannot be compiled.
  bool skipped() const {
    return outcome == PassOutcome::Disabled || outcome == PassOutcome::Failed || isAbsent();
  }
  // A pass of XLA's that is not there yet.
  bool isAbsent() const { return outcome == PassOutcome::Absent; }
  bool isLowering() const { return kind == StepKind::Lowering; }
  // The module after this step, read from the dump at the first call and then kept. Any thread.
  Result<std::shared_ptr<const Module>> module() const;
  // Null until module() gave one, for a step that is read from a file; never null for a module that was there
  // at first. Never waits for a file. Any thread.
  std::shared_ptr<const Module> moduleIfLoaded() const;

  struct Slot;
  std::shared_ptr<Slot> slot;
};
SeriesStep makeStep(std::string name, std::shared_ptr<const Module> module, StepKind kind = StepKind::Input);
// Of a dump.
SeriesStep makeLazyStep(std::string name, std::function<Result<std::shared_ptr<const Module>>()> load);

struct PassSeries {
  std::string title;
  std::vector<SeriesStep> steps;  // step 0 is the input
  // Whether instruction ids mean the same in every step (Hilo's own runs, whose snapshots are clones).
  bool sharedIds = false;
  // XLA's stages (StepKind::DumpStage) and our steps over the first of them (beside.h); sharedIds is of ours.
  bool hasBoth = false;
  std::vector<std::string> notes;  // on the whole: what was not done, and why

  bool isTheirs(size_t step) const { return hasBoth && steps[step].kind == StepKind::DumpStage; }
  // The steps before and after it, of its own side where there are two. Empty at the ends.
  std::optional<size_t> previousOf(size_t step) const;
  std::optional<size_t> nextOf(size_t step) const;
  bool shareIds(size_t a, size_t b) const { return sharedIds && !isTheirs(a) && !isTheirs(b); }
};

// The stages of one module of a dump, nothing read yet.
PassSeries seriesFromDump(std::shared_ptr<const OpenedDump> dump, size_t moduleIndex);

// Two modules that need have nothing to do with each other, as a series of two steps.
PassSeries comparisonSeries(SeriesStep before, SeriesStep after);

// Both steps' modules are loaded when need be.
Result<StepDiff> diffSteps(const PassSeries& series, size_t before, size_t after);

// Both sides' printed texts aligned line by line, as they would read with the names of the other side. A line
// whose instruction is the same on both sides (module_diff.h) is the same, whatever its metadata.
struct SideBySide {
  PrintedModule left;
  PrintedModule right;
  LineDiff diff;
  // Of each line of a side, the line of the other that it is matched with, came from or became; kNoLine where
  // there is none.
  std::vector<uint32_t> leftPartner, rightPartner;
  std::shared_ptr<const Lineage> lineage;
};
Result<SideBySide> sideBySide(const PassSeries& series, size_t before, size_t after,
                              TextForm form = TextForm::AsRead);

// The life of one instruction through the series: a line for each step at which it appeared, changed or went.
struct HistoryEntry {
  size_t step = 0;
  ChangeKind kind = ChangeKind::Changed;
  InstructionId before;  // in the module before that step; invalid when added
  InstructionId id;      // in that step's module; invalid when removed
  std::string name;      // its name there, when removed before it
  std::string text;      // its printed line there; "" when removed
  std::string what;      // what changed; when removed "removed by PASS"
};
// Follows `id` of step `step`'s module backwards and forwards. Loads every step of a dump: run it in a job.
Result<std::vector<HistoryEntry>> instructionHistory(const PassSeries& series, size_t step, InstructionId id,
                                                     const CancelToken& cancel = {});

}  // namespace hilo
