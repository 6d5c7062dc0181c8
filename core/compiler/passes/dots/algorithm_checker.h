// Refuses dots that name an algorithm (core/hlo/expand/dot_algorithm.h) which the GPU has not, or not for
// their types; of one that names a precision too it says that this has no effect. It changes nothing. As
// XLA's backends/gpu/transforms/algorithm_checker.cc, for CUDA.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AlgorithmSupport {
  int64_t capability = 90;  // of sm_90
};

// Error kind: "unsupported-algorithm".
Result<bool> checkAlgorithms(Module& module, PassContext& context, const AlgorithmSupport& gpu = {});

}  // namespace hilo
