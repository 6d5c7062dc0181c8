// Computations that instructions call, as thunks.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

// Lowers a computation called on arguments of the given shapes; the result has `resultShape`. Error
// kinds as compileModule.
Result<LeafValues> lowerCalled(const Instruction& why, const Computation& called,
                               std::vector<LeafValues> arguments, std::span<const Shape> shapes,
                               Shape resultShape, LoweringContext& context);
// The instruction as the thunks of what it calls, on its operands: a call, or a fusion that
// is several kernels.
Status lowerInline(const Instruction& instruction, const Computation& called, LoweringContext& context);
// At the end of a loop's body: the next state goes where the state lies.
void storeState(const Instruction& loop, const LeafValues& next, const LeafValues& state,
                LoweringContext& context);

}  // namespace hilo
