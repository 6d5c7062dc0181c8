// Makes a module that shows a failure small: delta debugging (Zeller and Hildebrandt, Simplifying
// and Isolating Failure-Inducing Input, 2002) with moves that know HLO (moves.def). Each move is
// tried at all its sites at once, then at halves, quarters, ..., and at last one by one; round after
// round until no move helps.
//
// A candidate is watched only if it verifies and is smaller, and taken only if it fails as the module did at
// first, with the same kind of failure; where the module was good before its passes, a candidate must be so
// too. Values come along: what is left out is replaced by parameters with the values it had, where the
// evaluator can tell them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/workspace/passes/pass_series.h"
#include "core/workspace/watch/watch.h"

namespace hilo {

// A module as it stood after a candidate was taken.
struct ReducedStep {
  std::string move;
  size_t sites = 0;  // at which it was made at once
  std::shared_ptr<const Module> module;
  int64_t atNs = 0;  // since the reduction began
};

// How often a move was tried and taken.
struct MoveTally {
  std::string move;
  int64_t candidates = 0, looks = 0, taken = 0;
};

struct Reduction {
  std::shared_ptr<const Module> module;  // the smallest found; verifies, and fails
  std::vector<Literal> arguments;  // one a parameter; none where what is watched does not depend on them
  Observation failure;
  size_t instructionsBefore = 0;
  int64_t candidates = 0;  // made
  int64_t looks = 0;       // of these, watched
  std::vector<ReducedStep> steps;
  std::vector<MoveTally> moves;  // in the order of trying
  bool isFinished =
      false;  // no move helps any more: not ended by the time limit, the target or being cancelled
};

struct ReduceRequest {
  std::shared_ptr<const Module> module;
  std::vector<ConfiguredPass> passes = {};  // that a candidate is watched after
  std::vector<Literal> arguments = {};
  std::vector<std::string> moves = {};  // names; empty: all
  size_t enough = 0;                    // instructions at which to end; 0: as few as can be
  int64_t timeLimitNs = 0;              // 0: none
  // Told of each candidate that is taken. An error ends the reduction.
  std::function<Status(const Reduction& soFar)> taken = {};
  // What is watched, as makeWatcher takes it, and the engine that runs it: kept with what is saved.
  std::string watch = {}, engine = {};
  // Of a reduction that goes on: the steps before `module`, the input first.
  std::vector<SeriesStep> earlier = {};
};

struct MoveInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const MoveInfo> listMoves();

// Being cancelled ends it with what there is. Kinds: "does-not-fail" (the module as it is given is good, or
// it cannot be told), "unknown-move", what ends a watcher's search. A module that does not verify is refused
// with its first error.
Result<Reduction> reduce(const ReduceRequest& request, Watcher& watcher, const JobContext& context);
// Several watchers of the same, one or more, each used by one thread at a time: so many candidates are looked
// at beside each other. The steps are those that one watcher gives. Not for one that needs quiet.
Result<Reduction> reduce(const ReduceRequest& request, std::span<Watcher* const> watchers,
                         const JobContext& context);

// All steps with the input, for looking at: those of earlier reductions too.
PassSeries seriesOf(const ReduceRequest& request, const Reduction& reduction);

}  // namespace hilo
