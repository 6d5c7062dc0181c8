// Converts the operands of a dot or convolution to the type of its result, where they have a narrower one
// and no library takes the mixture: of integers, and of floats where the operands differ from each other. As
// xla/hlo/transforms/operand_upcaster.cc with the filter of the GPU compiler.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> upcastOperands(Module& module, PassContext& context);

}  // namespace hilo
