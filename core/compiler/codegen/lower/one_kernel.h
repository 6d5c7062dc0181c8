// What a fusion has to be for its elements to be computed one by one in a single kernel.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// An element is made of many elements of its operands: a dot, a reduction, ...
bool isOfMany(Opcode opcode);

// It can be computed element by element wherever it stands in a fusion.
bool isElemental(const Instruction& instruction);

// Every element of the result is computed by itself, and no work is done many times over.
bool canBeOneKernel(const Computation& fused);

// Every element of `root`, the shape of a result, is made of elements at the same place in memory, so that
// one count over the memory serves as index for all. Of an instruction or the fusion it is.
bool isFlat(const Instruction& instruction, Shape root);

}  // namespace hilo
