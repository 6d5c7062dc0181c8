#include "core/analysis/cumulative_window.h"

namespace hilo {
namespace {

// Both sides of the operation may change places, and it does not matter where brackets stand.
bool foldsFromEitherSide(const Instruction& reduceWindow) {
  const Computation& reducer = *reduceWindow.get<Attr::ToApply>();
  const Instruction& root = *reducer.root();
  if (reduceWindow.operandCount() != 2 || root.operandCount() != 2 || root.operand(0) == root.operand(1) ||
      root.operand(0)->opcode() != Opcode::Parameter || root.operand(1)->opcode() != Opcode::Parameter)
    return false;
  switch (root.opcode()) {
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Minimum:
      return true;
    case Opcode::And:
    case Opcode::Multiply:
    case Opcode::Or:
    case Opcode::Xor:
      return !isFloat(root.shape().elementType()) && !isComplex(root.shape().elementType());
    default:
      return false;
  }
}

}  // namespace

std::optional<CumulativeWindow> cumulativeWindow(const Instruction& reduceWindow) {
  const Window* window = reduceWindow.get<Attr::Window>();
  const Shape shape = reduceWindow.operand(0)->shape();
  if (window == nullptr || shape.isDynamic() || window->dimensions.size() != shape.rank())
    return std::nullopt;
  std::optional<CumulativeWindow> found;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    if (w == WindowDimension{}) continue;
    const bool isPlain = w.stride == 1 && w.windowDilation == 1 && w.baseDilation == 1 && !w.windowReversal;
    const bool isToHere = w.paddingLow == w.size - 1 && w.paddingHigh == 0;
    const bool isFromHere = w.paddingLow == 0 && w.paddingHigh == w.size - 1;
    if (found || !isPlain || w.size < shape.dimension(d) || w.size < 2 || (!isToHere && !isFromHere))
      return std::nullopt;
    found = CumulativeWindow{d, isFromHere};
  }
  if (found && found->isFromEnd && !foldsFromEitherSide(reduceWindow)) return std::nullopt;
  return found;
}

}  // namespace hilo
