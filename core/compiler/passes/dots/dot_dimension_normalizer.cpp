#include "core/compiler/passes/dots/dot_dimension_normalizer.h"

#include <algorithm>

#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool sumsOverSeveral(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && i.get<Attr::LhsContractingDims>().size() > 1 &&
         !i.has(Attr::SparsityConfig) && liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape()) &&
         liesRowMajor(i.operand(1)->shape());
}

bool isContracted(const DotSide& of, int64_t d) {
  return std::ranges::find(of.contracting, d) != of.contracting.end();
}

// The operand with its contracting dimensions in one, where the first of them stood; the others in order.
struct CollapsedOperand {
  Instruction* value;
  std::vector<int64_t> batch, contracting;
};

CollapsedOperand collapsed(Instruction& dot, size_t side) {
  const DotSide of = dotSide(dot, side);
  const Shape shape = dot.operand(side)->shape();
  const int64_t first = std::ranges::min(of.contracting);
  std::vector<int64_t> order, sizes, places(shape.rank(), 0);
  CollapsedOperand result{.value = nullptr};
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (d == first) {
      result.contracting.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(1);
      for (const int64_t c : of.contracting) {
        order.push_back(c);
        sizes.back() *= shape.dimension(static_cast<size_t>(c));
      }
    } else if (!isContracted(of, d)) {
      places[static_cast<size_t>(d)] = static_cast<int64_t>(sizes.size());
      order.push_back(d);
      sizes.push_back(shape.dimension(static_cast<size_t>(d)));
    }
  }
  for (const int64_t d : of.batch) result.batch.push_back(places[static_cast<size_t>(d)]);
  result.value = reshapeTo(transposeBy(dot.operand(side), order, dot), sizes, dot);
  return result;
}

Instruction* normalized(Instruction& dot) {
  const CollapsedOperand sides[] = {collapsed(dot, 0), collapsed(dot, 1)};
  Instruction* made = dot.parent().createLike(dot, {{sides[0].value, sides[1].value}}, &dot);
  for (size_t side = 0; side < 2; ++side) setDotSide(*made, side, sides[side].batch, sides[side].contracting);
  return made;
}

}  // namespace

Result<bool> normalizeDotDimensions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "normalized", sumsOverSeveral, normalized);
}

}  // namespace hilo
