// Which pass broke it: a search over the passes of a pipeline, or the stages of a dump, then over the
// rewrites within the pass (compiler/pass/fuel.h), down to the instruction that the first bad rewrite is of.
//
// Both ends are looked at first: what is bad before the first pass, or good after the last, is not searched
// for. A failure of another kind than the one at the end counts as unknown, and the search goes around it.
// Looks at about log2(passes) + log2(rewrites) modules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/diff/module_diff.h"
#include "core/compiler/pass/fuel.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/watch/watch.h"

namespace hilo {

struct Bisection;

struct BisectRequest {
  std::shared_ptr<const Module> module;
  std::vector<ConfiguredPass> passes;
  // A pipeline that makes a good module of it: searched are the differences from these passes to `passes`,
  // aligned by pass (pipeline_edits.h).
  std::optional<std::vector<ConfiguredPass>> goodPasses = std::nullopt;
  // In the place of all three: the stages of a dump, each of which stands for what its pass made.
  std::optional<PassSeries> stages = std::nullopt;
  std::vector<Literal> arguments = {};  // one a parameter of the module
  // Of values in the place of elided constants: each stage has the same ones (eval/arguments.h).
  uint64_t seed = 0;
  // Told after each look, on the thread that searches.
  std::function<void(const Bisection& soFar)> looked = {};
};

enum class BisectOutcome : uint8_t { Found, BadAtStart, GoodAtEnd, UnknownAtStart, UnknownAtEnd };

// A step that was looked at; 0 is the input.
struct BisectLook {
  size_t step = 0;
  std::string name;   // of the pass, or the stage
  int64_t fuel = -1;  // rewrites the step was allowed; -1: all
  Observation seen;
};

// The first rewrite that makes it bad.
struct BadRewrite {
  int64_t good = 0,
          bad = 0;      // rewrites of this run of the pass: neighbours, unless those in between are unknown
  int64_t earlier = 0;  // of earlier runs of the pass: fuel counts these too
  std::optional<NamedInstruction> instruction;  // that it is of
  std::string text;                             // its line before the rewrite
};

// An instruction that is not the same on both sides; a line is "" where there is none.
struct BisectChange {
  ChangeKind kind = ChangeKind::Changed;
  std::string name;
  std::string before, after;
};

struct Bisection {
  BisectOutcome outcome = BisectOutcome::Found;
  std::vector<BisectLook> looks;  // in the order they were made
  Observation end;                // what the bad end shows, or why an end is not as it should be
  // Of Found. Neighbours, unless what stands between them could not be told.
  size_t lastGood = 0, firstBad = 0;
  bool isOneStep = true;  // every step in between could be told, or changed nothing
  // Names of all, the input (or the good pipeline) first: passText, or PipelineEdit::text of differences.
  std::vector<std::string> steps;
  std::string pass;  // that the first bad step ran
  std::optional<BadRewrite> rewrite;
  std::string whyNoRewrite;  // "" where there is one
  // What the bad rewrite, or else the pass, changed: the first kMostChanges.
  std::vector<BisectChange> changes;
  size_t changeCount = 0;
  static constexpr size_t kMostChanges = 50;
  // What the bad pass, or the passes one of which it is, ran over. Null for stages of a dump.
  std::shared_ptr<const Module> before;
  // The modules on the two sides of it; `bad` is null where making it ends the process.
  std::shared_ptr<const Module> good, bad;
};

// Kinds: "same-pipelines", "cancelled", what ends a watcher's search, those of loading a dump's stages, and
// the first error of a module that does not verify before the passes.
Result<Bisection> bisect(const BisectRequest& request, Watcher& watcher, const JobContext& context);

}  // namespace hilo
