// hilo opt --against: a pipeline of ours beside the stages of a dump.
#pragma once

#include "core/workspace/passes/optimize.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo::cli {

// XLA's stages of one module of a dump, and ours of `request` over the first of them (passes/beside.h).
Result<PassSeries> besideDump(const std::string& path, const std::string& module, OptimizeRequest request);
// The steps of our side.
PassSeries oursOf(const PassSeries& both);
// What differs after each pass that both have. The exit code: kNo where they part.
int printAgainst(const PassSeries& both, bool json);

}  // namespace hilo::cli
