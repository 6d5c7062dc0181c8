// The functions of lowerings.def, each in the lower_*.cpp of its family.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

#define LOWERING(opcode, function) Status function(const Instruction& instruction, LoweringContext& context);
#include "core/compiler/codegen/lower/lowerings.def"

}  // namespace hilo
