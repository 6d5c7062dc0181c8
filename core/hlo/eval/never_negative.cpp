#include "core/hlo/eval/never_negative.h"

#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

constexpr int kMostSteps = 12;

bool isScalarFromZero(const Literal& literal) {
  if (!literal.shape().isArray() || literal.shape().elementCount() != 1 || literal.isElided()) return false;
  double value = 0;
  convertElements(&value, ElementType::F64, literal.bytes().data(), literal.shape().elementType(), 1);
  return value >= 0;
}

bool addsUp(const Computation* reducer) {
  return reducer != nullptr && reducer->root() != nullptr && reducer->root()->opcode() == Opcode::Add;
}

bool isNeverNegative(const Instruction& instruction, int steps) {
  if (steps == 0 || !instruction.shape().isArray()) return false;
  const auto is = [&](size_t operand) { return isNeverNegative(*instruction.operand(operand), steps - 1); };
  switch (instruction.opcode()) {
    case Opcode::Constant:
      return isScalarFromZero(instruction.literal());
    case Opcode::Abs:
    case Opcode::Exponential:
    case Opcode::Logistic:
    case Opcode::Rsqrt:
    case Opcode::Sqrt:
      return true;
    case Opcode::Add:
    case Opcode::Divide:
    case Opcode::Minimum:
      return is(0) && is(1);
    case Opcode::Multiply:
      return instruction.operand(0) == instruction.operand(1) || (is(0) && is(1));
    case Opcode::Maximum:
      return is(0) || is(1);
    case Opcode::Reduce:
      return instruction.operandCount() == 2 && addsUp(instruction.get<Attr::ToApply>()) && is(0) && is(1);
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Convert:
    case Opcode::Copy:
    case Opcode::Reshape:
    case Opcode::Slice:
    case Opcode::Transpose:
      return is(0);
    default:
      return false;
  }
}

}  // namespace

bool isNeverNegative(const Instruction& instruction) { return isNeverNegative(instruction, kMostSteps); }

}  // namespace hilo
