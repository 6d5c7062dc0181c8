// XLA's stages of a module, as its dump has them, and Hilo's own pipeline over the first of them: both in one
// series, matched by pass name, so that after each pass theirs can be held against ours.
#pragma once

#include "core/workspace/passes/optimize.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo {

// A stage of XLA's and our step after the same pass.
struct PassPair {
  size_t theirs = 0;
  size_t ours = 0;
};

// Both in the order of the compilation, each stage of XLA's right before our step of the same pass. Passes of
// one name pair in order, those in pipelines of one name first; what both begin with is a pair, and what both
// end with where the dump has XLA's result.
PassSeries besideSeries(const PassSeries& theirs, const PassSeries& ours);
// The pairs of such a series, growing on both sides.
std::vector<PassPair> pairedSteps(const PassSeries& both);
// The other of its pair. Empty: there is none, or the series is not of both.
std::optional<size_t> twinOf(const PassSeries& both, size_t step);

// Runs `request` (the pipeline gpu where it names none) over the first of `stages`. Of gpu: for the device
// and with the flags of the dump, where the request says nothing else. Loads that stage alone. Kinds: those
// of optimize() and of reading a stage.
Result<PassSeries> oursBesideStages(const PassSeries& stages, OptimizeRequest request,
                                    const JobContext& context);

// How far ours is from theirs after one pass.
struct PairDifference {
  PassPair steps;
  size_t theirs = 0, ours = 0;  // instructions
  size_t added = 0, removed = 0, changed = 0, moved = 0;
  bool isSame() const { return added + removed + changed + moved == 0; }
};
// Loads every stage that has a pair, one after the other. Kinds: "cancelled", those of reading a stage.
Result<std::vector<PairDifference>> comparePairs(const PassSeries& both, const JobContext& context);

}  // namespace hilo
