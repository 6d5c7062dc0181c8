// Makes a concatenate of more than 128 arrays a concatenate of concatenates of 128, since a kernel takes no
// more parameters. As xla/backends/gpu/transforms/variadic_op_splitter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitVariadicOps(Module& module, PassContext& context);

}  // namespace hilo
