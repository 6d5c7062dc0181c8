// Changes over the operands of a product's kernel where that suits the tensor cores better: they take the
// left side in tiles of 64, from registers that work of the kernel fills. As XLA's
// backends/gpu/transforms/gemm_fusion_swap_operands.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> swapGemmOperands(Module& module, PassContext& context);

}  // namespace hilo
