// Converts the operand of a dot that is of the less precise type to the type of the other, as libraries want
// both of one type. Two of F8E4M3 and F8E5M2 are what they take. As XLA's
// backends/gpu/transforms/dot_operand_converter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> convertDotOperands(Module& module, PassContext& context);

}  // namespace hilo
