// Writes the triton_gemm_config of a fusion as the tile of the dot (its contracting size, in backend_config
// of the dot) and a block_level_fusion_config of the result, as later emitters read them. As
// xla/backends/gpu/transforms/convert_triton_gemm_config.cc, where the result has the dimensions of the dot.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> convertTritonConfigs(Module& module, PassContext& context);

}  // namespace hilo
