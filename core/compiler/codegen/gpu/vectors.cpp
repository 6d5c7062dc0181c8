#include "core/compiler/codegen/gpu/vectors.h"

#include "core/runtime/program/program.h"

#include "core/hlo/ir/literal.h"

namespace hilo::gpu {

int64_t vectorLength(const Instruction& instruction, int64_t size) {
  int64_t widest = 1;
  const auto look = [&](Shape shape) {
    for (const Shape leaf : arrayLeaves(shape)) {
      if (leaf.rank() > 0)
        widest = std::max(
            widest, isComplex(leaf.elementType()) ? kVectorBytes : elementStorageBytes(leaf.elementType()));
    }
  };
  look(instruction.shape());
  for (const Instruction* operand : instruction.operands()) look(operand->shape());
  int64_t length = kVectorBytes / widest;
  while (length > 1 && size % length != 0) length /= 2;
  return std::max<int64_t>(length, 1);
}

}  // namespace hilo::gpu
