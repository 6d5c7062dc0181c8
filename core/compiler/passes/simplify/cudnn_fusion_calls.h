// Makes fusions of calls to "__cudnn$fusion", whose computation cuDNN compiles as one kernel. As XLA's
// backends/gpu/transforms/cudnn_custom_call_converter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> convertCudnnCalls(Module& module, PassContext& context);

}  // namespace hilo
