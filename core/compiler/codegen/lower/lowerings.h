// The functions of lowerings.def, lowering and obstacle beside each other in the lower_*.cpp of their family.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

#define LOWERING(opcode, function, values, find)                             \
  Status function(const Instruction& instruction, LoweringContext& context); \
  std::optional<Diagnostic> find(const Instruction& instruction, const HasHandler& hasHandler);
#include "core/compiler/codegen/lower/lowerings.def"

}  // namespace hilo
