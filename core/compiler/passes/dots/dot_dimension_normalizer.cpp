#include "core/compiler/passes/dots/dot_dimension_normalizer.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

template <bool mergeFree>
bool isApart(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || i.has(Attr::SparsityConfig) ||
      !liesRowMajor(i.shape()) || !liesRowMajor(i.operand(0)->shape()) ||
      !liesRowMajor(i.operand(1)->shape()))
    return false;
  if (i.get<Attr::LhsContractingDims>().size() > 1) return true;
  return mergeFree && (dotSide(i, 0).free.size() > 1 || dotSide(i, 1).free.size() > 1);
}

// Dimensions that do not follow each other in `order` go to its end.
void bringTogether(std::vector<int64_t>& order, const std::vector<int64_t>& dims) {
  if (std::ranges::search(order, dims).begin() != order.end()) return;
  std::erase_if(order, [&](int64_t d) { return std::ranges::find(dims, d) != dims.end(); });
  order.insert(order.end(), dims.begin(), dims.end());
}

struct CollapsedOperand {
  Instruction* value;
  std::vector<int64_t> batch, contracting;
};

Instruction* reshapedFromItsSource(Instruction* value, std::span<const int64_t> sizes, Instruction& before) {
  while (value->opcode() == Opcode::Reshape && liesRowMajor(value->operand(0)->shape()))
    value = value->operand(0);
  return reshapeTo(value, sizes, before);
}

// The operand with one dimension of each group, the others in order.
CollapsedOperand collapsed(Instruction& dot, size_t side, bool mergeFree) {
  const DotSide of = dotSide(dot, side);
  const Shape shape = dot.operand(side)->shape();
  std::vector<std::vector<int64_t>> groups;
  if (!of.contracting.empty()) groups.push_back(of.contracting);
  if (mergeFree && of.free.size() > 1) groups.push_back(of.free);
  std::vector<int64_t> order(shape.rank()), sizes, places(shape.rank(), 0);
  std::iota(order.begin(), order.end(), int64_t{0});
  for (const auto& group : groups) bringTogether(order, group);
  for (const int64_t d : order) {
    const bool follows = std::ranges::any_of(groups, [&](const auto& group) {
      return group[0] != d && std::ranges::find(group, d) != group.end();
    });
    if (!follows) sizes.push_back(1);
    sizes.back() *= shape.dimension(static_cast<size_t>(d));
    places[static_cast<size_t>(d)] = static_cast<int64_t>(sizes.size()) - 1;
  }
  CollapsedOperand result{.value = nullptr};
  for (const int64_t d : of.batch) result.batch.push_back(places[static_cast<size_t>(d)]);
  if (!of.contracting.empty()) result.contracting.push_back(places[static_cast<size_t>(of.contracting[0])]);
  Instruction* value = transposeBy(dot.operand(side), order, dot);
  result.value = reshapedFromItsSource(value, sizes, dot);
  return result;
}

template <bool mergeFree>
Instruction* normalized(Instruction& dot) {
  const CollapsedOperand sides[] = {collapsed(dot, 0, mergeFree), collapsed(dot, 1, mergeFree)};
  Instruction* made = dot.parent().createLike(dot, {{sides[0].value, sides[1].value}}, &dot);
  for (size_t side = 0; side < 2; ++side) setDotSide(*made, side, sides[side].batch, sides[side].contracting);
  std::vector<int64_t> sizes;
  for (const int64_t d : sides[0].batch)
    sizes.push_back(sides[0].value->shape().dimension(static_cast<size_t>(d)));
  for (size_t side = 0; side < 2; ++side) {
    for (const int64_t d : dotSide(*made, side).free)
      sizes.push_back(sides[side].value->shape().dimension(static_cast<size_t>(d)));
  }
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), sizes));
  return reshapedAs(made, dot.shape(), dot);
}

}  // namespace

Result<bool> normalizeDotDimensions(Module& module, PassContext& context, const DotNormalForm& form) {
  return form.mergeFree ? rewriteEach(module, context, "normalized", isApart<true>, normalized<true>)
                        : rewriteEach(module, context, "normalized", isApart<false>, normalized<false>);
}

}  // namespace hilo
