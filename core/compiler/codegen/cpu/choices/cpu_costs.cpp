#include "core/compiler/codegen/cpu/choices/cpu_costs.h"

#include "core/analysis/cost/op_work.h"
#include "core/analysis/dense_dimension.h"

namespace hilo {
namespace {

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

class CpuCosts final : public EngineCosts {
 public:
  double kernelNs() const override { return 500; }

  double memoryNs(Shape array) const override {
    constexpr double kByteNs = 0.06;
    return kByteNs * static_cast<double>(array.elementCount()) *
           static_cast<double>(elementBits(array.elementType())) / 8;
  }

  double elementWorkNs(const Instruction& instruction) const override {
    const Shape shape =
        instruction.shape().isTuple() ? instruction.shape().tupleShapes()[0] : instruction.shape();
    const double work = elementNs(instruction.opcode(), shape.elementType());
    return isComplex(shape.elementType()) ? 3 * work : work;
  }

  double operandEvaluations(const Instruction& user, size_t index, double evaluations) const override {
    const Instruction& operand = *user.operand(index);
    if (operand.shape().isArray() && operand.shape().rank() == 0) return 1;
    switch (user.opcode()) {
      case Opcode::Broadcast: {
        // What a row has in common is computed before its loop.
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

  // Less is done before another thread has woken up; lines shorter than this are not worth one each.
  SharedReduction sharedReduction() const override {
    return {.fewestElements = 1 << 18, .shortestLine = 1024, .fewestLines = 16};
  }
};

}  // namespace

const EngineCosts& cpuCosts() {
  static const CpuCosts kCosts;
  return kCosts;
}

}  // namespace hilo
