// Factors of what moves elements and of elementwise operations.
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Every dimension that `isKept` holds for passes through.
template <typename IsKept>
OpFactors passWhere(const Instruction& instruction, IsKept isKept) {
  FactorList list(instruction);
  const auto rank = static_cast<int64_t>(instruction.shape().isArray() ? instruction.shape().rank() : 0);
  for (int64_t d = 0; d < rank; ++d) {
    if (isKept(d)) list.passAll(d);
  }
  return list.take();
}

}  // namespace

// It may add or take the last dimension.
OpFactors bitcastFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const size_t rank = std::min(instruction.shape().rank(), instruction.operand(0)->shape().rank());
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) list.pass(0, d, d);
  return list.take();
}

OpFactors elementFactors(const Instruction& instruction) {
  const bool changesRank = std::ranges::any_of(instruction.operands(), [&](const Instruction* operand) {
    const Shape shape = operand->shape();
    return !shape.isArray() || (shape.rank() != instruction.shape().rank() && shape.rank() != 0);
  });
  // An operation of tuples is taken apart before.
  if (changesRank || !instruction.shape().isArray()) return {};
  return passWhere(instruction, [](int64_t) { return true; });
}

OpFactors broadcastFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const auto dimensions = instruction.dimensions();
  for (int64_t d = 0; d < static_cast<int64_t>(instruction.shape().rank()); ++d) {
    const auto found = std::ranges::find(dimensions, d);
    Factor& factor = list.passAll(d);
    factor.operands[0] = found == dimensions.end() ? -1 : found - dimensions.begin();
  }
  return list.take();
}

OpFactors transposeFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const auto dimensions = instruction.dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d) list.pass(0, dimensions[d], static_cast<int64_t>(d));
  return list.take();
}

OpFactors reverseFactors(const Instruction& instruction) {
  FactorList list(instruction);
  for (int64_t d = 0; d < static_cast<int64_t>(instruction.shape().rank()); ++d)
    list.window(d, !contains(instruction.dimensions(), d));
  return list.take();
}

OpFactors concatenateFactors(const Instruction& instruction) {
  return passWhere(instruction, [&](int64_t d) { return !contains(instruction.dimensions(), d); });
}

OpFactors padFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const auto padding = instruction.get<Attr::Padding>();
  for (int64_t d = 0; d < static_cast<int64_t>(instruction.shape().rank()); ++d)
    list.window(d, padding[static_cast<size_t>(d)] == PaddingDimension());
  return list.take();
}

OpFactors sliceFactors(const Instruction& instruction) {
  FactorList list(instruction);
  for (size_t d = 0; d < instruction.shape().rank(); ++d)
    list.window(static_cast<int64_t>(d),
                instruction.shape().dimension(d) == instruction.operand(0)->shape().dimension(d));
  return list.take();
}

OpFactors dynamicSliceFactors(const Instruction& instruction) {
  return passWhere(instruction, [&](int64_t d) {
    const auto i = static_cast<size_t>(d);
    return instruction.shape().dimension(i) == instruction.operand(0)->shape().dimension(i);
  });
}

// Along a dimension that is updated in part each device has its part of the array and all of the update.
OpFactors dynamicUpdateSliceFactors(const Instruction& instruction) {
  FactorList list(instruction);
  for (size_t d = 0; d < instruction.shape().rank(); ++d) {
    Factor& factor = list.passAll(static_cast<int64_t>(d));
    if (instruction.shape().dimension(d) == instruction.operand(1)->shape().dimension(d)) continue;
    factor.operands[1] = -1;
    factor.counted = static_cast<int64_t>(d);
  }
  return list.take();
}

OpFactors sortFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const Shape array = instruction.operand(0)->shape();
  for (int64_t d = 0; d < static_cast<int64_t>(array.rank()); ++d) {
    if (!contains(instruction.dimensions(), d)) list.passAll(d);
  }
  return list.take();
}

OpFactors topKFactors(const Instruction& instruction) {
  FactorList list(instruction);
  const auto rank = static_cast<int64_t>(instruction.operand(0)->shape().rank());
  for (int64_t d = 0; d + 1 < rank; ++d) list.passAll(d);
  return list.take();
}

}  // namespace hilo
