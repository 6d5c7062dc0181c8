// Where a dynamic-update-slice writes.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

// The operand's own memory where nothing needs what it holds any more, else a copy of it: only the updated
// elements are to be written. `update` is the instruction itself, or the root of the fusion it is, whose
// first operand is a parameter. nullopt: the result is to lie in another order.
std::optional<LeafValue> updatedInto(const Instruction& instruction, const Instruction& update,
                                     LoweringContext& context);

}  // namespace hilo
