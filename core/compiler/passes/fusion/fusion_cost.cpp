#include "core/compiler/passes/fusion/fusion_cost.h"

#include "core/hlo/ir/element_type.h"

namespace hilo {
namespace {

double baseWorkNs(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Acosh:
    case Opcode::Asin:
    case Opcode::Asinh:
    case Opcode::Acos:
    case Opcode::Atan2:
    case Opcode::Atanh:
    case Opcode::Cosine:
    case Opcode::Cosh:
    case Opcode::Erf:
    case Opcode::Exponential:
    case Opcode::ExponentialMinusOne:
    case Opcode::Log:
    case Opcode::LogPlusOne:
    case Opcode::Logistic:
    case Opcode::Sine:
    case Opcode::Sinh:
    case Opcode::Tan:
    case Opcode::Tanh:
      return 4;
    case Opcode::Power:
    case Opcode::Cbrt:
    case Opcode::Map:
      return 8;
    case Opcode::Remainder:
      return 2;
    case Opcode::Divide:
    case Opcode::Rsqrt:
    case Opcode::Sqrt:
      return 0.6;
    case Opcode::Gather:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Reshape:
      return 0.5;
    default:
      return 0.15;
  }
}

double elementCountOf(const Instruction& instruction) {
  const Shape shape =
      instruction.shape().isTuple() ? instruction.shape().tupleShapes()[0] : instruction.shape();
  return static_cast<double>(std::max<int64_t>(1, shape.elementCount()));
}

double tapsOf(const Window* window) {
  double taps = 1;
  if (window == nullptr) return taps;
  for (const WindowDimension& dimension : window->dimensions) taps *= static_cast<double>(dimension.size);
  return taps;
}

}  // namespace

double memoryNs(Shape array) {
  constexpr double kByteNs = 0.06;
  return kByteNs * static_cast<double>(array.elementCount()) *
         static_cast<double>(elementBits(array.elementType())) / 8;
}

double elementWorkNs(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  const double work = baseWorkNs(instruction);
  return shape.isArray() && isComplex(shape.elementType()) ? 3 * work : work;
}

double operandEvaluations(const Instruction& user, size_t index, double evaluations) {
  const Instruction& operand = *user.operand(index);
  if (operand.shape().isArray() && operand.shape().rank() == 0) return 1;
  switch (user.opcode()) {
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Reduce:
      return evaluations * elementCountOf(operand) / elementCountOf(user);
    case Opcode::ReduceWindow:
      return evaluations * tapsOf(user.get<Attr::Window>());
    case Opcode::DynamicUpdateSlice:
      return elementCountOf(operand);
    case Opcode::Gather:
      return index == 0 ? evaluations
                        : evaluations * static_cast<double>(user.get<Attr::StartIndexMap>().size());
    default:
      return evaluations;
  }
}

}  // namespace hilo
