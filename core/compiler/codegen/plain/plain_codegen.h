// Kernels as plain as they can be: each instruction is one loop over the elements of its result, by itself.
// There are no fusions, no shapes of loops and no libraries, so that little can be wrong: an engine that
// others are held to, and the first kernels of a new kind of target.
#pragma once

#include "core/compiler/codegen/lower/codegen_engine.h"

namespace hilo {

// On the processors of codegen_targets.def.
const CodegenEngine& plainCodegen();

namespace plain {

// Its table, for engines with targets of their own.
std::span<const OpcodeLowering> lowerings();

// One iteration an element of the result, in the order elements lie in memory.
Status lowerElements(const Instruction& instruction, LoweringContext& context);

}  // namespace plain

}  // namespace hilo
