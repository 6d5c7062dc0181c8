#include "core/compiler/passes/dots/ragged_dot_rewriter.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isIn(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

bool isRewritten(const Instruction& i) {
  if (i.opcode() != Opcode::RaggedDot || i.get<Attr::LhsRaggedDims>().size() != 1) return false;
  for (const Instruction* operand : i.operands()) {
    if (!liesRowMajor(operand->shape())) return false;
  }
  const int64_t ragged = i.get<Attr::LhsRaggedDims>()[0];
  const bool isSummed = isIn(i.get<Attr::LhsContractingDims>(), ragged);
  return liesRowMajor(i.shape()) && i.operand(2)->shape().rank() == 1 &&
         i.operand(2)->shape().dimension(0) > 0 &&
         (isSummed || isIn(i.get<Attr::LhsBatchDims>(), ragged) || i.get<Attr::RhsGroupDims>().size() == 1);
}

bool isForCudnn(const Instruction& i, const RaggedDotSettings& settings) {
  if (!settings.leavesFusions || settings.computeCapability < 80 || settings.cudnnVersion < 92200)
    return false;
  const ElementType type = i.shape().elementType();
  const int64_t ragged = i.get<Attr::LhsRaggedDims>()[0];
  return (type == ElementType::F16 || type == ElementType::BF16) &&
         !isIn(i.get<Attr::LhsContractingDims>(), ragged) && !isIn(i.get<Attr::LhsBatchDims>(), ragged);
}

// The sum of each element and those before it.
Instruction* runningSum(Instruction* sizes, Instruction& before) {
  const ElementType type = sizes->shape().elementType();
  const int64_t count = sizes->shape().dimension(0);
  Instruction* sum =
      before.parent().create(Opcode::ReduceWindow, sizes->shape(),
                             {sizes, algebra::makeSplat(before, Shape::scalar(type), 0)}, {}, &before);
  const WindowDimension dimension{.size = count, .paddingLow = count - 1};
  const Window window{{&dimension, 1}};
  sum->set<Attr::Window>(&window);
  sum->set<Attr::ToApply>(additionOf(before.module(), type, &before.parent()));
  return sum;
}

Instruction* compared(Instruction* a, ComparisonDirection direction, Instruction* b, Instruction& before) {
  Instruction* made = before.parent().create(
      Opcode::Compare, arrayLike(a->shape(), ElementType::Pred, a->shape().dimensions()), {a, b}, {},
      &before);
  made->set<Attr::Direction>(direction);
  return made;
}

// For every group a copy of `operand`, in front of its dimensions, in which only the group's part along
// `along` is not zero.
Instruction* byGroup(Instruction* operand, Instruction* ends, Instruction* sizes, int64_t along,
                     Instruction& before) {
  const Shape shape = operand->shape();
  const ElementType type = sizes->shape().elementType();
  const int64_t groups = sizes->shape().dimension(0), length = shape.dimension(static_cast<size_t>(along));
  const std::vector<int64_t> flat = {groups, length}, firstDim = {0};
  Instruction* places = before.parent().create(Opcode::Iota, arrayLike(shape, type, flat), {}, {}, &before);
  places->set<Attr::IotaDimension>(1);
  Instruction* starts = before.parent().create(Opcode::Subtract, sizes->shape(), {ends, sizes}, {}, &before);
  Instruction* after =
      compared(places, ComparisonDirection::Ge, broadcastTo(starts, flat, firstDim, before), before);
  Instruction* ahead =
      compared(places, ComparisonDirection::Lt, broadcastTo(ends, flat, firstDim, before), before);
  Instruction* isOwn = before.parent().create(Opcode::And, after->shape(), {after, ahead}, {}, &before);
  std::vector<int64_t> sizesOfAll(shape.dimensions().begin(), shape.dimensions().end()), own;
  sizesOfAll.insert(sizesOfAll.begin(), groups);
  for (int64_t d = 1; d < static_cast<int64_t>(sizesOfAll.size()); ++d) own.push_back(d);
  Instruction* mask = broadcastTo(isOwn, sizesOfAll, std::array<int64_t, 2>{0, along + 1}, before);
  Instruction* all = broadcastTo(operand, sizesOfAll, own, before);
  Instruction* zeros = algebra::makeSplat(before, all->shape(), 0);
  return before.parent().create(Opcode::Select, all->shape(), {mask, all, zeros}, {}, &before);
}

std::vector<int64_t> withFirst(int64_t first, std::span<const int64_t> dims, int64_t shift) {
  std::vector<int64_t> all = {first};
  for (const int64_t d : dims) all.push_back(d + shift);
  return all;
}

std::vector<int64_t> shifted(std::span<const int64_t> dims) {
  std::vector<int64_t> all;
  for (const int64_t d : dims) all.push_back(d + 1);
  return all;
}

Instruction* makeDot(Instruction& ragged, Instruction* lhs, Instruction* rhs) {
  Instruction* dot = ragged.parent().create(Opcode::Dot, ragged.shape(), {lhs, rhs}, {}, &ragged);
  if (const auto stated = ragged.get<Attr::OperandPrecision>(); !stated.empty())
    dot->set<Attr::OperandPrecision>(stated);
  if (const OpMetadata* metadata = ragged.get<Attr::Metadata>()) dot->set<Attr::Metadata>(metadata);
  return dot;
}

// Groups of whole batches: each is multiplied as it is.
Instruction* plainDot(Instruction& i) {
  Instruction* dot = makeDot(i, i.operand(0), i.operand(1));
  setDotSide(*dot, 0, i.get<Attr::LhsBatchDims>(), i.get<Attr::LhsContractingDims>());
  setDotSide(*dot, 1, i.get<Attr::RhsBatchDims>(), i.get<Attr::RhsContractingDims>());
  return dot;
}

Instruction* rewritten(Instruction& i) {
  const int64_t ragged = i.get<Attr::LhsRaggedDims>()[0];
  if (isIn(i.get<Attr::LhsBatchDims>(), ragged)) return plainDot(i);
  Instruction *sizes = i.operand(2), *ends = runningSum(sizes, i);
  Instruction* lhs = byGroup(i.operand(0), ends, sizes, ragged, i);
  const auto contracting = i.get<Attr::LhsContractingDims>();
  const auto place = std::ranges::find(contracting, ragged);
  if (place == contracting.end()) {
    Instruction* dot = makeDot(i, lhs, i.operand(1));
    setDotSide(*dot, 0, shifted(i.get<Attr::LhsBatchDims>()), withFirst(0, contracting, 1));
    setDotSide(*dot, 1, i.get<Attr::RhsBatchDims>(),
               withFirst(i.get<Attr::RhsGroupDims>()[0], i.get<Attr::RhsContractingDims>(), 0));
    return dot;
  }
  const int64_t other = i.get<Attr::RhsContractingDims>()[static_cast<size_t>(place - contracting.begin())];
  Instruction* dot = makeDot(i, lhs, byGroup(i.operand(1), ends, sizes, other, i));
  setDotSide(*dot, 0, withFirst(0, i.get<Attr::LhsBatchDims>(), 1), shifted(contracting));
  setDotSide(*dot, 1, withFirst(0, i.get<Attr::RhsBatchDims>(), 1),
             shifted(i.get<Attr::RhsContractingDims>()));
  return dot;
}

}  // namespace

Result<bool> rewriteRaggedDots(Module& module, PassContext& context, const RaggedDotSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->has(Attr::ControlPredecessors) || !isRewritten(*i) || (i->users().empty() && !i->isRoot()))
        continue;
      if (isForCudnn(*i, settings)) {
        context.remark(*i, "missed", "left for a grouped product of cuDNN");
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      Instruction* dot = rewritten(*i);
      context.remark(*i, "rewritten", fmt::format("now %{}", dot->name()));
      computation->replaceAllUses(i, dot);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
