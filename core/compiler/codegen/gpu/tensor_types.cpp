#include "core/compiler/codegen/gpu/tensor_types.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace hilo::gpu {

namespace {

constexpr TensorType kTypes[] = {
#define TENSOR_TYPE(left, right, sum, sm, isa, warpgroupIsa, instruction)     \
  {ElementType::left, ElementType::right,          ElementType::sum, sm, isa, \
   warpgroupIsa,      llvm::Intrinsic::instruction},
#include "core/compiler/codegen/gpu/tensor_types.def"
};

constexpr int kTf32Exponent = 8, kTf32Mantissa = 10;

bool isNarrow(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F8E4M3FN ||
         type == ElementType::F8E5M2;
}

// f32 with no more digits than tf32 has.
bool isTf32(const Instruction& operand) {
  return operand.opcode() == Opcode::ReducePrecision &&
         operand.get<Attr::ExponentBits>().value_or(0) <= kTf32Exponent &&
         operand.get<Attr::MantissaBits>().value_or(0) <= kTf32Mantissa;
}

bool gives(const TensorType& type, ElementType result) {
  if (type.sum == ElementType::S32) return result == ElementType::S32 || result == ElementType::U32;
  return isFloat(result) && elementBits(result) <= elementBits(type.sum);
}

}  // namespace

const Instruction& tensorOperand(const Instruction& operand) {
  const bool widens = operand.opcode() == Opcode::Convert &&
                      operand.shape().elementType() == ElementType::F32 &&
                      isNarrow(operand.operand(0)->shape().elementType());
  return widens ? *operand.operand(0) : operand;
}

const TensorType* tensorTypeOf(const Instruction& dot) {
  const Instruction &left = tensorOperand(*dot.operand(0)), &right = tensorOperand(*dot.operand(1));
  const auto found = std::ranges::find_if(kTypes, [&](const TensorType& type) {
    return type.left == left.shape().elementType() && type.right == right.shape().elementType() &&
           gives(type, dot.shape().elementType());
  });
  if (found == std::end(kTypes)) return nullptr;
  if (found->left == ElementType::F32 && !(isTf32(left) && isTf32(right))) return nullptr;
  return &*found;
}

DotForm tensorForm(const Instruction& dot) {
  DotForm form = dotFormOf(dot);
  form.left.operand = &tensorOperand(*form.left.operand);
  form.right.operand = &tensorOperand(*form.right.operand);
  return form;
}

}  // namespace hilo::gpu
