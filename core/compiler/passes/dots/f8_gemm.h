// Calls to cuBLASLt of 8 bit floats, with a scale of each operand. Sizes are padded to multiples of 16, and
// before Blackwell what the operands contract lies densest. As XLA's
// backends/gpu/transforms/gemm_rewriter.cc.
#pragma once

#include "core/compiler/passes/dots/f8_operand.h"
#include "core/compiler/passes/dots/gemm_products.h"

namespace hilo {

struct F8Target {
  int64_t capability = 90;  // compute capability; there are calls from 8.9 on
  int64_t workspaceBytes = 0;
};

// Why the library multiplies no 8 bit floats for this dot; "" where it does.
std::string_view whyNoF8Call(const Instruction& dot, const F8Target& target);
// The call in the place of the dot, with at most one batch dimension on each side.
void replaceByF8Call(Instruction& dot, const F8Target& target, GemmCalls& calls);

// Where the dot takes 8 bit floats: it takes halves.
void widenF8Operands(Instruction& dot);

}  // namespace hilo
