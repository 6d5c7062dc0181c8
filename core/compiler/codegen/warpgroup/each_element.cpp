#include "core/compiler/codegen/warpgroup/each_element.h"

namespace hilo::warpgroup {

Result<std::vector<RegisterArray>> operandsOf(KernelLowering& lowering, OpId op, size_t count) {
  TRY_STATUS(needs(lowering.op(op), count, 1));
  std::vector<RegisterArray> operands;
  for (size_t i = 0; i < count; ++i) {
    TRY(RegisterArray array, lowering.array(op, i));
    operands.push_back(std::move(array));
  }
  return operands;
}

Status giveEach(KernelLowering& lowering, OpId op, std::span<const RegisterArray> operands, ElementType type,
                const OfElements& of) {
  TRY(RegisterMap map, lowering.resultMap(op));
  RegisterArray result{type, std::move(map), {}};
  for (size_t i = 0; i < elementsOf(result.map); ++i) {
    std::vector<Scalar> elements;
    for (const RegisterArray& operand : operands) {
      if (operand.map.layout() != result.map.layout() && !operand.isSplat())
        return refuse(lowering.op(op), "operands that are laid out in different ways");
      elements.push_back(operand.elements[operand.isSplat() ? 0 : i]);
    }
    result.elements.push_back(of(elements));
  }
  lowering.give(lowering.op(op).results[0], std::move(result));
  return {};
}

}  // namespace hilo::warpgroup
