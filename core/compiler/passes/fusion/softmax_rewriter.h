// Makes one kernel of a softmax's steps, and of norms: of what lies between an array and an array of its size
// that reads a number of each row, folded from the first (normalization_diamond.h). Triton makes the kernel:
// a fusion of kind __triton with tiles of whole rows, which are read once. As XLA's
// backends/gpu/transforms/softmax_rewriter_triton.cc.
//
// Left alone, with a remark: what Triton has no instruction for, other layouts than row-major, rows too long
// for the registers of a block, and what separate kernels are estimated to do sooner. A whole softmax becomes
// two kernels, of its maxima and of its sums. The error of a GPU before 8.0 is "unsupported-gpu".
#pragma once

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/fusion/fusion_cost.h"

namespace hilo {

struct SoftmaxFusions : GpuRates {
  bool onlyIfQuicker = true;  // than the kernels that priority-fusion makes of the same
};

Result<bool> fuseSoftmaxes(Module& module, PassContext& context, const SoftmaxFusions& which = {});

}  // namespace hilo
