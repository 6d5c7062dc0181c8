#include "core/compiler/passes/dots/dot_dimension_sorter.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isConsecutive(std::span<const int64_t> dims) {
  const auto [least, most] = std::ranges::minmax(dims);
  return most - least + 1 == static_cast<int64_t>(dims.size());
}

// The side whose dimensions lie together and are named out of order; none where sorting them would disturb
// the other side.
std::optional<size_t> sideToSort(const Instruction& dot) {
  const auto lhs = dot.get<Attr::LhsContractingDims>(), rhs = dot.get<Attr::RhsContractingDims>();
  const bool left = isConsecutive(lhs) && !std::ranges::is_sorted(lhs);
  const bool right = isConsecutive(rhs) && !std::ranges::is_sorted(rhs);
  if (left && (right || !isConsecutive(rhs))) return 0;
  if (right && !isConsecutive(lhs)) return 1;
  return std::nullopt;
}

bool isUnsorted(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.get<Attr::LhsContractingDims>().empty() &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) &&
         sideToSort(i).has_value();
}

Instruction* sorted(Instruction& dot) {
  const DotSide sides[] = {dotSide(dot, 0), dotSide(dot, 1)};
  const auto& by = sides[*sideToSort(dot)].contracting;
  std::vector<size_t> order(by.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t k) { return by[k]; });
  Instruction* made = dot.parent().createLike(dot, dot.operands(), &dot);
  for (size_t side = 0; side < 2; ++side) {
    std::vector<int64_t> dims;
    for (const size_t k : order) dims.push_back(sides[side].contracting[k]);
    setDotSide(*made, side, sides[side].batch, dims);
  }
  return made;
}

}  // namespace

Result<bool> sortDotDimensions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "sorted", isUnsorted, sorted);
}

}  // namespace hilo
