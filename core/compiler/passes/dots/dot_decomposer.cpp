#include "core/compiler/passes/dots/dot_decomposer.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t sizeOf(Shape shape, std::span<const int64_t> dims) {
  int64_t size = 1;
  for (const int64_t d : dims) size *= shape.dimension(static_cast<size_t>(d));
  return size;
}

// The operand as [batch..., free, contracting], or with the last two in turn.
Instruction* canonicalOperand(Instruction& dot, size_t side, const DotSide& of) {
  Instruction* operand = dot.operand(side);
  const bool freeFirst = side == 0;
  std::vector<int64_t> order = of.batch;
  const auto& first = freeFirst ? of.free : of.contracting;
  const auto& second = freeFirst ? of.contracting : of.free;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  std::vector<int64_t> sizes;
  for (const int64_t d : of.batch) sizes.push_back(operand->shape().dimension(static_cast<size_t>(d)));
  for (const auto* group : {&first, &second}) {
    const bool isFree = group == &of.free;
    if (!isFree || !group->empty()) sizes.push_back(sizeOf(operand->shape(), *group));
  }
  return reshapeTo(transposeBy(operand, order, dot), sizes, dot);
}

Instruction* canonicalDot(Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  Instruction* left = canonicalOperand(dot, 0, lhs);
  Instruction* right = canonicalOperand(dot, 1, rhs);
  std::vector<int64_t> batch(lhs.batch.size()), sizes;
  for (size_t i = 0; i < batch.size(); ++i) {
    batch[i] = static_cast<int64_t>(i);
    sizes.push_back(left->shape().dimension(i));
  }
  const auto count = static_cast<int64_t>(batch.size());
  if (!lhs.free.empty()) sizes.push_back(left->shape().dimension(batch.size()));
  if (!rhs.free.empty()) sizes.push_back(right->shape().dimension(batch.size() + 1));
  Instruction* made = dot.parent().createLike(dot, {{left, right}}, &dot);
  made->setShape(arrayLike(dot.shape(), dot.shape().elementType(), sizes));
  const std::vector<int64_t> leftSummed = {count + (lhs.free.empty() ? 0 : 1)}, rightSummed = {count};
  setDotSide(*made, 0, batch, leftSummed);
  setDotSide(*made, 1, batch, rightSummed);
  return reshapedAs(made, dot.shape(), dot);
}

bool mayDecompose(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !isCanonicalDot(i) &&
         liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape()) &&
         liesRowMajor(i.operand(1)->shape()) && !i.has(Attr::ControlPredecessors) &&
         !i.has(Attr::SparsityConfig);
}

}  // namespace

Result<bool> decomposeDots(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!mayDecompose(*dot)) continue;
      if (!context.mayChange(*dot)) return changed;
      Instruction* canonical = canonicalDot(*dot);
      context.remark(*dot, "decomposed",
                     fmt::format("one free and one contracting dimension: %{}", canonical->name()));
      computation->replaceAllUses(dot, canonical);
      computation->remove(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
