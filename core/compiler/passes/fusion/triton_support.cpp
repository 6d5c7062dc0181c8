#include "core/compiler/passes/fusion/triton_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

// What Triton does with numbers of a type.
enum class NumberKind : uint8_t { None, Pred, Bits4, Integer, Float8, Float };

NumberKind kindOf(ElementType type) {
  switch (type) {
    case ElementType::Pred:
      return NumberKind::Pred;
    case ElementType::S4:
      return NumberKind::Bits4;
    case ElementType::F8E5M2:
    case ElementType::F8E4M3FN:
      return NumberKind::Float8;
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::F64:
      return NumberKind::Float;
    default:
      return isIntegral(type) && elementBits(type) >= 8 ? NumberKind::Integer : NumberKind::None;
  }
}

bool takesElementwise(Opcode opcode, NumberKind kind) {
  const bool isPred = kind == NumberKind::Pred, isInteger = kind == NumberKind::Integer,
             isFloat = kind == NumberKind::Float, isFloat8 = kind == NumberKind::Float8;
  switch (opcode) {
    case Opcode::Copy:
    case Opcode::Select:
      return kind != NumberKind::Bits4;
    case Opcode::Abs:
      return isInteger || isFloat || isFloat8;
    case Opcode::Clamp:
    case Opcode::Add:
    case Opcode::Compare:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Multiply:
      return isPred || isInteger || isFloat;
    case Opcode::Not:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return isPred || isInteger;
    case Opcode::Negate:
    case Opcode::Subtract:
    case Opcode::Divide:
    case Opcode::Remainder:
      return isInteger || isFloat;
    case Opcode::ReducePrecision:
      return isFloat || isFloat8;
    case Opcode::Acos:
    case Opcode::Acosh:
    case Opcode::Asin:
    case Opcode::Asinh:
    case Opcode::Atanh:
    case Opcode::Atan2:
    case Opcode::Cbrt:
    case Opcode::Ceil:
    case Opcode::Cosine:
    case Opcode::Cosh:
    case Opcode::Erf:
    case Opcode::Exponential:
    case Opcode::ExponentialMinusOne:
    case Opcode::Floor:
    case Opcode::Log:
    case Opcode::LogPlusOne:
    case Opcode::Power:
    case Opcode::RoundNearestEven:
    case Opcode::Rsqrt:
    case Opcode::Sine:
    case Opcode::Sinh:
    case Opcode::Sqrt:
    case Opcode::Tan:
    case Opcode::Tanh:
      return isFloat;
    default:
      return false;
  }
}

bool takesConvert(ElementType from, ElementType to, int64_t capability) {
  const NumberKind a = kindOf(from), b = kindOf(to);
  const bool anyIsE4 = from == ElementType::F8E4M3FN || to == ElementType::F8E4M3FN;
  if (from != to && anyIsE4 && capability < 89) return false;
  const bool oneIsFloat8 = (a == NumberKind::Float8) != (b == NumberKind::Float8);
  const ElementType other = a == NumberKind::Float8 ? to : from;
  if (oneIsFloat8 && (kindOf(other) != NumberKind::Float || other == ElementType::F64)) return false;
  if (a == NumberKind::Bits4 && b != NumberKind::Float && (b != NumberKind::Integer || elementBits(to) != 8))
    return false;
  return b != NumberKind::Bits4 && !(a == NumberKind::Pred && to == ElementType::U8);
}

bool padsBehind(const Instruction& pad) {
  const auto padding = pad.get<Attr::Padding>();
  return std::ranges::all_of(padding,
                             [](const PaddingDimension& d) { return d.low == 0 && d.interior == 0; }) &&
         std::ranges::any_of(padding, [](const PaddingDimension& d) { return d.high != 0; });
}

bool takesBitcast(const Instruction& i) {
  const ElementType from = i.operand(0)->shape().elementType(), to = i.shape().elementType();
  return i.operand(0)->shape().elementCount() == i.shape().elementCount() &&
         (from == to || (from != ElementType::Pred && to != ElementType::Pred));
}

bool takesReduce(const Instruction& i, int64_t capability) {
  return i.operandCount() == 2 && i.dimensions().size() == 1 &&
         kindOf(i.shape().elementType()) != NumberKind::Float8 &&
         !tritonRefusal(*i.get<Attr::ToApply>(), capability);
}

bool takes(const Instruction& i, int64_t capability) {
  const NumberKind kind = kindOf(i.shape().elementType());
  switch (i.opcode()) {
    case Opcode::Parameter:
    case Opcode::Dot:
    case Opcode::ScaledDot:
      return true;
    case Opcode::Convert:
      return takesConvert(i.operand(0)->shape().elementType(), i.shape().elementType(), capability);
    case Opcode::Constant:
      return i.shape().elementCount() == 1 && kind != NumberKind::Bits4;
    case Opcode::Iota:
      return kind != NumberKind::Bits4 && kind != NumberKind::Float8;
    case Opcode::Pad:
      return padsBehind(i) && kind != NumberKind::Bits4;
    case Opcode::Bitcast:
      return takesBitcast(i) && kind != NumberKind::Bits4;
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Slice:
    case Opcode::Transpose:
      return kind != NumberKind::Bits4;
    case Opcode::Reduce:
      return takesReduce(i, capability);
    default:
      return i.operandCount() > 0 &&
             takesElementwise(i.opcode(), kindOf(i.operand(i.operandCount() - 1)->shape().elementType()));
  }
}

bool hasType(const Instruction& i) {
  return i.shape().isArray() && kindOf(i.shape().elementType()) != NumberKind::None;
}

}  // namespace

std::optional<std::string> tritonRefusal(const Instruction& instruction, int64_t capability) {
  if (!hasType(instruction)) return fmt::format("{} has a type that Triton has not", instruction.name());
  if (!takes(instruction, capability))
    return fmt::format("Triton has no {} as {}", instruction.opcodeText(), instruction.name());
  return std::nullopt;
}

std::optional<std::string> tritonRefusal(const Computation& computation, int64_t capability) {
  for (const Instruction* i : computation.instructions()) {
    if (i->isRoot() && i->opcode() == Opcode::Tuple) continue;
    if (auto refusal = tritonRefusal(*i, capability)) return refusal;
  }
  return std::nullopt;
}

}  // namespace hilo
