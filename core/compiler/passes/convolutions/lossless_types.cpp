#include "core/compiler/passes/convolutions/lossless_types.h"

#include <cmath>
#include <ranges>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/eval/element_dispatch.h"

namespace hilo {
namespace {

// Bits of the numbers a type has from 1 on without a gap: of an integer without its sign.
int64_t precisionOf(ElementType type) {
  switch (type) {
    case ElementType::BF16:
      return 8;
    case ElementType::F16:
      return 11;
    case ElementType::F32:
      return 24;
    case ElementType::F64:
      return 53;
    default:
      return isSigned(type) ? elementBits(type) - 1 : 0;
  }
}

// Every value of `from` is one of `to`.
bool keepsValues(ElementType from, ElementType to) {
  if (isSigned(from)) return (isSigned(to) || isFloat(to)) && precisionOf(to) >= precisionOf(from);
  const bool isWider = precisionOf(from) > 0 && precisionOf(to) > precisionOf(from);
  return isFloat(from) && isFloat(to) && isWider && !(from == ElementType::BF16 && to == ElementType::F16);
}

bool movesElements(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose;
}

bool hasNumbers(const Instruction& constant, ElementType type) {
  if (!constant.shape().isArray() || constant.literal().isElided()) return false;
  for (int64_t k = 0; k < constant.shape().elementCount(); ++k) {
    const auto number = algebra::numberAt(constant, k);
    if (!number || !hasNumber(type, *number)) return false;
  }
  return true;
}

}  // namespace

bool hasNumber(ElementType type, double number) {
  if (type == ElementType::F64) return !std::isnan(number);
  if (type == ElementType::F32) return static_cast<double>(static_cast<float>(number)) == number;
  if (type == ElementType::S8) return number >= -128 && number <= 127 && std::trunc(number) == number;
  if (!isFloat(type) || elementBits(type) >= 32) return false;
  return visitNarrowFloat(type, [&]<typename T>() { return static_cast<double>(T(number)) == number; });
}

bool isLosslessAs(const Instruction& value, ElementType type) {
  const Instruction* at = &value;
  if (!at->shape().isArray()) return false;
  if (at->shape().elementType() == type) return true;
  while (movesElements(*at)) at = at->operand(0);
  if (at->opcode() == Opcode::Constant) return hasNumbers(*at, type);
  return at->opcode() == Opcode::Convert && at->operand(0)->shape().elementType() == type &&
         keepsValues(type, at->shape().elementType());
}

Instruction* narrowedTo(Instruction* value, ElementType type, Instruction& before) {
  if (value->shape().elementType() == type) return value;
  std::vector<const Instruction*> moves;
  for (; movesElements(*value); value = value->operand(0)) moves.push_back(value);
  const bool isWidened =
      value->opcode() == Opcode::Convert && value->operand(0)->shape().elementType() == type;
  Instruction* narrow = isWidened ? value->operand(0) : convertTo(value, type, before);
  for (const Instruction* move : moves | std::views::reverse) {
    narrow = before.parent().createLike(*move, std::array{narrow}, &before);
    narrow->setShape(move->shape().withElementType(type));
  }
  return narrow;
}

}  // namespace hilo
