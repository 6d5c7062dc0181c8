// What tensor cores multiply: the lines of tensor_types.def.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include "core/compiler/codegen/gpu/dot_form.h"
#include "core/hlo/ir/module.h"

namespace hilo::gpu {

struct TensorType {
  ElementType left, right, sum;
  int firstTarget;  // with mma.sync of it; 80: sm_80
  // The least PTX ISA, times ten, of mma.sync and of wgmma; 0: that of the target.
  int ptxIsa, warpgroupPtxIsa;
  llvm::Intrinsic::ID instruction;

  // One instruction does 8 rows, not 16.
  bool isByHalves() const { return left == ElementType::F64; }
};

// An operand of a dot as tensor cores take it: what f16, bf16 or f8 was converted from, else itself.
const Instruction& tensorOperand(const Instruction& operand);
// By the operands and the result of the dot, of two operands; null where there is none.
const TensorType* tensorTypeOf(const Instruction& dot);

// The dot with its operands as tensor cores take them.
DotForm tensorForm(const Instruction& dot);

}  // namespace hilo::gpu
