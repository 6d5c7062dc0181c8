// Writes dots of a vector (one side has no dimension of its own) as a multiplication and a sum where the
// library gains nothing: small ones, and those of types without GEMM fusions. As XLA's
// backends/gpu/transforms/dot_strength_reduction.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> reduceDotStrength(Module& module, PassContext& context);
// Any dot of row-major operands as a product of broadcasts and, where it contracts something, a sum.
Instruction* expandedDot(Instruction& dot);

}  // namespace hilo
