// How a GPU's kernels are made: the functions of lowerings.def, and the shapes of kernels they choose among.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo::gpu {

#define LOWERING(opcode, function, values, find) \
  Status function(const Instruction& instruction, LoweringContext& context);
#include "core/compiler/codegen/gpu/lowerings.def"

// False where the instruction, which may be a fusion that can be one kernel, is none for the shape.
#define KERNEL_SHAPE(name, function) \
  Result<bool> function(const Instruction& instruction, LoweringContext& context);
#include "core/compiler/codegen/gpu/kernel_shapes.def"

}  // namespace hilo::gpu
