// What the evaluator says of two arrays, as the workspace's clients see it.
#pragma once

#include "core/hlo/eval/compare.h"
#include "core/workspace/run/runs.h"

namespace hilo {

// Of several devices the outputs are a tuple of what each gave.
LeafComparison leafComparison(LiteralDifference difference, int64_t devices);

}  // namespace hilo
