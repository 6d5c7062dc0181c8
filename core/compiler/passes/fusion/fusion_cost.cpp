#include "core/compiler/passes/fusion/fusion_cost.h"

#include "core/analysis/cost_facts.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {
namespace {

// Functions of f32 that the scalar library writes without calls vectorise; others call the C library.
double functionWorkNs(Opcode opcode, ElementType type) {
  constexpr double kCallNs = 10;
  const bool isWide = type == ElementType::F64 || isComplex(type);
  switch (opcode) {
    case Opcode::Exponential:
    case Opcode::ExponentialMinusOne:
    case Opcode::Log:
    case Opcode::Logistic:
    case Opcode::Tanh:
      return isWide ? kCallNs : 0.4;
    case Opcode::Cosine:
    case Opcode::Erf:
    case Opcode::LogPlusOne:
    case Opcode::Power:
    case Opcode::Sine:
      return isWide ? kCallNs : 1;
    default:
      return kCallNs;
  }
}

double baseWorkNs(const Instruction& instruction, ElementType type) {
  switch (instruction.opcode()) {
    case Opcode::Map:
      return functionWorkNs(instruction.opcode(), type);
    case Opcode::Remainder:
      return 2;
    case Opcode::Divide:
    case Opcode::Rsqrt:
    case Opcode::Sqrt:
      return 0.4;
    case Opcode::Concatenate:
    case Opcode::Gather:
    case Opcode::Pad:
    case Opcode::Reshape:
      return 0.5;
    default:
      return isTranscendental(instruction.opcode()) ? functionWorkNs(instruction.opcode(), type) : 0.1;
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

int64_t denseDimension(Shape array) {
  const Layout* layout = array.layout();
  return layout == nullptr || layout->minorToMajor.empty() ? static_cast<int64_t>(array.rank()) - 1
                                                           : layout->minorToMajor[0];
}

double memoryNs(Shape array) {
  constexpr double kByteNs = 0.06;
  return kByteNs * static_cast<double>(array.elementCount()) *
         static_cast<double>(elementBits(array.elementType())) / 8;
}

double elementWorkNs(const Instruction& instruction) {
  const Shape shape =
      instruction.shape().isTuple() ? instruction.shape().tupleShapes()[0] : instruction.shape();
  const double work = baseWorkNs(instruction, shape.elementType());
  return isComplex(shape.elementType()) ? 3 * work : work;
}

double operandEvaluations(const Instruction& user, size_t index, double evaluations) {
  const Instruction& operand = *user.operand(index);
  if (operand.shape().isArray() && operand.shape().rank() == 0) return 1;
  switch (user.opcode()) {
    case Opcode::Broadcast: {
      // What a row has in common is worked out before its loop.
      const int64_t dense = denseDimension(user.shape());
      const bool variesInRow = std::ranges::find(user.dimensions(), dense) != user.dimensions().end();
      return variesInRow
                 ? evaluations
                 : evaluations / static_cast<double>(user.shape().dimension(static_cast<size_t>(dense)));
    }
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
