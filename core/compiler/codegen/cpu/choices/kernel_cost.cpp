#include "core/compiler/codegen/cpu/choices/kernel_cost.h"

#include "core/analysis/cumulative_window.h"

namespace hilo {
int64_t kernelCostNs(const Instruction& instruction, int64_t elements) {
  const auto workOf = [](const Instruction& step) -> double {
    switch (step.opcode()) {
      case Opcode::Reduce:
      case Opcode::ReduceWindow: {
        const Shape result = step.shape().isTuple() ? step.shape().tupleShapes()[0] : step.shape();
        const double ratio = static_cast<double>(step.operand(0)->shape().elementCount()) /
                             static_cast<double>(std::max<int64_t>(1, result.elementCount()));
        const Window* window = step.get<Attr::Window>();
        double taps = 1;
        if (window != nullptr) {
          for (const WindowDimension& w : window->dimensions) taps *= static_cast<double>(w.size);
        }
        if (step.opcode() == Opcode::ReduceWindow && cumulativeWindow(step)) return 1;
        return step.opcode() == Opcode::Reduce ? ratio : taps;
      }
      case Opcode::Dot:
      case Opcode::RaggedDot:
      case Opcode::ScaledDot: {
        double k = 1;
        for (const int64_t d : step.get<Attr::LhsContractingDims>())
          k *= static_cast<double>(step.operand(0)->shape().dimension(static_cast<size_t>(d)));
        return k;
      }
      case Opcode::Convolution:
        return static_cast<double>(step.operand(1)->shape().elementCount()) /
               static_cast<double>(std::max<int64_t>(
                   1, step.shape().elementCount() > 0
                          ? step.operand(1)->shape().dimension(
                                static_cast<size_t>(step.get<Attr::DimLabels>()->kernelOutputFeature))
                          : 1));
      default:
        return isElementwise(step.opcode()) ? 1 : 0.5;
    }
  };
  double work = 0;
  if (instruction.opcode() == Opcode::Fusion) {
    for (const Instruction* step : instruction.calledComputations()[0]->instructions()) work += workOf(*step);
  } else {
    work = workOf(instruction);
  }
  return 100 + static_cast<int64_t>(std::min(1e15, static_cast<double>(elements) * (0.3 + 0.2 * work)));
}

}  // namespace hilo
