#include "core/analysis/few_best.h"

#include <algorithm>

namespace hilo {

namespace {

constexpr int64_t kMostKept = 16;

}  // namespace

bool isOfFewBest(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::TopK || instruction.operandCount() != 1 ||
      !instruction.shape().isTuple())
    return false;
  const Shape values = instruction.operand(0)->shape();
  const int64_t kept = instruction.get<Attr::K>().value_or(0);
  const bool isFull = std::ranges::all_of(values.dimensions(), [](int64_t d) { return d > 0; });
  return values.rank() > 0 && isFull && !values.isDynamic() && kept >= 1 && kept <= kMostKept &&
         values.dimensions().back() <= INT32_MAX && !isComplex(values.elementType());
}

}  // namespace hilo
