// Products of cuBLAS one of whose operands is the same in each batch: the call takes the array itself in
// place of its broadcast, and reads it with a stride of 0 from batch to batch. Only where the broadcast adds
// the batch dimensions, all of them and in front, and nothing else. As XLA's
// backends/gpu/transforms/gemm_broadcast_folding_rewriter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> foldGemmBroadcasts(Module& module, PassContext& context);

}  // namespace hilo
