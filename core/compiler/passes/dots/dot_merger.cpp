#include "core/compiler/passes/dots/dot_merger.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/fusion/kernel_order.h"
#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

bool mayMerge(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && isCanonicalDot(i) &&
         i.get<Attr::LhsBatchDims>().empty() && i.shape().rank() == 2 && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape());
}

Instruction* sliceOf(Instruction* merged, size_t dimension, int64_t start, const Instruction& dot,
                     Instruction& before) {
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t first = d == dimension ? start : 0;
    ranges.push_back({.start = first, .limit = first + dot.shape().dimension(d)});
  }
  Instruction* slice = before.parent().create(Opcode::Slice, dot.shape(), {merged}, {}, &before);
  slice->set<Attr::Slice>(ranges);
  return slice;
}

// Both read the same array on the other side than `side`; the dot that does both stands in front of `second`.
Instruction* merge(Instruction& first, Instruction& second, size_t side) {
  Computation& computation = first.parent();
  const size_t free = static_cast<size_t>(dotSide(first, side).free[0]);
  std::vector<int64_t> sizes(first.operand(side)->shape().dimensions().begin(),
                             first.operand(side)->shape().dimensions().end());
  sizes[free] += second.operand(side)->shape().dimension(free);
  const Shape operandShape =
      arrayLike(first.operand(side)->shape(), first.operand(side)->shape().elementType(), sizes);
  Instruction* both = computation.create(Opcode::Concatenate, operandShape,
                                         {first.operand(side), second.operand(side)}, {}, &second);
  both->set<Attr::Dimensions>(std::vector<int64_t>{static_cast<int64_t>(free)});
  std::vector<Instruction*> operands(2, first.operand(1 - side));
  operands[side] = both;
  std::vector<int64_t> result(first.shape().dimensions().begin(), first.shape().dimensions().end());
  result[side] += second.shape().dimension(side);
  Instruction* dot = computation.createLike(first, operands, &second);
  dot->setShape(arrayLike(first.shape(), first.shape().elementType(), result));
  Instruction* one = sliceOf(dot, side, 0, first, second);
  Instruction* other = sliceOf(dot, side, first.shape().dimension(side), second, second);
  computation.replaceAllUses(&first, one);
  computation.replaceAllUses(&second, other);
  computation.remove(&first);
  computation.remove(&second);
  return dot;
}

// The side that differs; nullopt: nothing is shared, or they cannot be one.
std::optional<size_t> sideToJoin(const Instruction& a, const Instruction& b) {
  if (!sameMeaning(a, b) || a.shape().elementType() != b.shape().elementType()) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const bool shares = a.operand(1 - side) == b.operand(1 - side) && a.operand(side) != b.operand(side);
    if (shares && a.operand(side)->shape().elementType() == b.operand(side)->shape().elementType())
      return side;
  }
  return std::nullopt;
}

class DotMerger {
 public:
  DotMerger(Computation& computation, PassContext& context, int64_t maxBytes)
      : computation_(computation), context_(context), maxBytes_(maxBytes), order_(computation) {}

  bool run() {
    std::vector<InstructionId> ids;
    for (const Instruction* i : computation_.instructions()) {
      if (mayMerge(*i)) ids.push_back(i->id());
    }
    bool changed = false;
    for (const InstructionId id : ids) {
      Instruction* dot = computation_.module().instruction(id);
      while (dot != nullptr && !context_.cancelled() && !context_.fuel().isSpent()) {
        passed_.insert(dot->id());
        dot = mergeWithOne(*dot);
        changed |= dot != nullptr;
      }
    }
    if (changed) orderByOperands(computation_);
    return changed;
  }

 private:
  // The dot that does both; null: none goes with it.
  Instruction* mergeWithOne(Instruction& first) {
    if (order_.hasControl(first)) return nullptr;
    std::vector<Instruction*> others(first.operand(0)->users().begin(), first.operand(0)->users().end());
    others.insert(others.end(), first.operand(1)->users().begin(), first.operand(1)->users().end());
    std::ranges::sort(others, {}, [](const Instruction* i) { return i->id().value; });
    for (Instruction* second : others) {
      if (passed_.contains(second->id()) || !mayMerge(*second) || order_.hasControl(*second)) continue;
      const auto side = sideToJoin(first, *second);
      if (!side || !isSmall(first, *second, *side) || order_.leadsTo(first, *second) ||
          order_.leadsTo(*second, first) || !context_.mayChange(first))
        continue;
      context_.remark(first, "merged", fmt::format("with %{}", second->name()));
      const int64_t one = order_.placeOf(first), other = order_.placeOf(*second);
      order_.forget(first);
      order_.forget(*second);
      Instruction* dot = merge(first, *second, *side);
      order_.merge(one, other, *dot->operand(*side));
      return dot;
    }
    return nullptr;
  }

  bool isSmall(const Instruction& first, const Instruction& second, size_t side) {
    const int64_t bytes = first.shape().byteSize() + second.shape().byteSize() +
                          first.operand(side)->shape().byteSize() + second.operand(side)->shape().byteSize();
    if (bytes > maxBytes_)
      context_.remark(first, "missed", fmt::format("with %{} it would be {} bytes", second.name(), bytes));
    return bytes <= maxBytes_;
  }

  Computation& computation_;
  PassContext& context_;
  const int64_t maxBytes_;
  KernelOrder order_;
  absl::flat_hash_set<InstructionId> passed_;  // each pair is looked at once, from the dot that stands first
};

}  // namespace

Result<bool> mergeDots(Module& module, PassContext& context, const DotMergerSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module))
    changed |= DotMerger(*computation, context, settings.maxBytes).run();
  return changed;
}

}  // namespace hilo
