// Writes dots that name an algorithm as plain dots of what it rounds their operands to, or of the
// parts it splits them into (core/hlo/expand/dot_algorithm.h). Algorithms that are what a plain
// dot is anyway stay. Behaves like XLA's DotAlgorithmRewriter
// (backends/gpu/transforms/dot_algorithm_rewriter.cc), for every algorithm.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DotAlgorithms {
  bool defaultsToBf16 = false;  // of dots of f32 that ask for no algorithm and no precision
};

Result<bool> expandDotAlgorithms(Module& module, PassContext& context, const DotAlgorithms& algorithms = {});

}  // namespace hilo
