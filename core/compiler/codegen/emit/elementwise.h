// An elementwise instruction as a function of its operands' elements.
#pragma once

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// One element of each operand. Also of a bitcast-convert between types of one width.
Scalar elementwise(const Instruction& instruction, llvm::ArrayRef<Scalar> operands, KernelBuilder& kernel);

}  // namespace hilo
