#include "core/compiler/codegen/gpu/memory_source.h"

#include <algorithm>

#include "core/analysis/dimension_order.h"

namespace hilo::gpu {

namespace {

MemorySource itself(const Instruction& operand) {
  const auto strides = layoutStrides(operand.shape());
  return {operand.shape().elementType(), {strides.begin(), strides.end()}};
}

}  // namespace

MemorySource memorySourceOf(const Instruction& operand) {
  if (operand.opcode() == Opcode::Transpose) {
    const MemorySource from = memorySourceOf(*operand.operand(0));
    MemorySource turned{from.type, {}};
    for (const int64_t d : operand.dimensions())
      turned.strides.push_back(from.strides[static_cast<size_t>(d)]);
    return turned;
  }
  const bool isOfElements = isElementwise(operand.opcode()) || operand.opcode() == Opcode::Copy;
  if (!isOfElements || operand.operandCount() == 0) return itself(operand);
  const auto bytes = [](const Instruction* from) {
    return from->opcode() == Opcode::Broadcast || from->shape().rank() == 0 ? 0 : from->shape().byteSize();
  };
  const Instruction* largest = *std::ranges::max_element(operand.operands(), {}, bytes);
  return bytes(largest) == 0 ? itself(operand) : memorySourceOf(*largest);
}

}  // namespace hilo::gpu
