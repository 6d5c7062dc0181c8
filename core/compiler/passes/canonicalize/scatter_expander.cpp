#include "core/compiler/passes/canonicalize/scatter_expander.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/canonicalize/gpu_scatter_expander.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isIn(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// One index vector.
bool isSimple(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || i.operandCount() < 3) return false;
  if (i.has(Attr::ControlPredecessors) || !i.get<Attr::InputBatchingDims>().empty()) return false;
  for (const Instruction* operand : i.operands()) {
    if (!liesRowMajor(operand->shape())) return false;
  }
  const Shape indices = i.operand(i.operandCount() / 2)->shape();
  const int64_t vectorDim = i.get<Attr::IndexVectorDim>().value_or(static_cast<int64_t>(indices.rank()));
  int64_t updates = 1;
  for (size_t d = 0; d < indices.rank(); ++d) {
    if (static_cast<int64_t>(d) != vectorDim) updates *= indices.dimension(d);
  }
  return updates == 1 && i.operand(0)->shape().elementCount() > 0 &&
         i.operand(i.operandCount() - 1)->shape().elementCount() > 0 &&
         (i.shape().isTuple() ? canBeLoop(i) : liesRowMajor(i.shape()));
}

bool isWanted(const Instruction& i, ScatterMode mode) {
  if (mode == ScatterMode::Simple) return isSimple(i);
  if (i.opcode() != Opcode::Scatter || i.has(Attr::ControlPredecessors) || !canBeLoop(i)) return false;
  return mode == ScatterMode::All || dependsOnOrder(i);
}

// The combiner of the scatter on whole arrays; null where it is more than one operation.
Instruction* combined(Instruction& scatter, Instruction* old, Instruction* update) {
  const Computation& combiner = *scatter.get<Attr::ToApply>();
  const Instruction* root = combiner.root();
  if (root == combiner.parameters()[1]) return update;
  if (root == combiner.parameters()[0]) return old;
  if (!isElementwise(root->opcode()) || root->operandCount() != 2 || combiner.instructionCount() != 3)
    return nullptr;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : root->operands())
    operands.push_back(operand == combiner.parameters()[0] ? old : update);
  Instruction* made = scatter.parent().createLike(*root, operands, &scatter);
  made->setShape(update->shape());
  return made;
}

Instruction* compared(Instruction* left, Instruction* right, ComparisonDirection direction,
                      Instruction& before) {
  Instruction* made = before.parent().create(
      Opcode::Compare, arrayLike(left->shape(), ElementType::Pred, left->shape().dimensions()), {left, right},
      {}, &before);
  made->set<Attr::Direction>(direction);
  return made;
}

Instruction* expanded(Instruction& scatter) {
  Computation& computation = scatter.parent();
  const Shape array = scatter.shape();
  // The update with the inserted dimensions: sizes of the window in the array.
  const auto windowDims = scatter.get<Attr::UpdateWindowDims>();
  const auto inserted = scatter.get<Attr::InsertedWindowDims>(),
             starts = scatter.get<Attr::ScatterDimsToOperandDims>();
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (size_t d = 0; d < array.rank(); ++d) {
    const bool isInserted = isIn(inserted, static_cast<int64_t>(d));
    sizes.push_back(
        isInserted ? 1 : scatter.operand(2)->shape().dimension(static_cast<size_t>(windowDims[next++])));
  }
  Instruction* update = reshapeTo(scatter.operand(2), sizes, scatter);
  const ElementType indexType = scatter.operand(1)->shape().elementType();
  const Shape scalar = arrayLike(array, indexType, {});
  std::vector<Instruction*> at;
  Instruction* inside = nullptr;
  for (size_t d = 0; d < array.rank(); ++d) {
    const auto place = std::ranges::find(starts, static_cast<int64_t>(d));
    if (place == starts.end()) {
      at.push_back(algebra::makeSplat(scatter, scalar, 0));
      continue;
    }
    at.push_back(elementOf(scatter.operand(1), place - starts.begin(), scatter));
    Instruction* last =
        algebra::makeSplat(scatter, scalar, static_cast<double>(array.dimension(d) - sizes[d]));
    for (Instruction* holds :
         {compared(at.back(), algebra::makeSplat(scatter, scalar, 0), ComparisonDirection::Ge, scatter),
          compared(at.back(), last, ComparisonDirection::Le, scatter)}) {
      inside = inside == nullptr
                   ? holds
                   : computation.create(Opcode::And, holds->shape(), {inside, holds}, {}, &scatter);
    }
  }
  std::vector<Instruction*> operands = {scatter.operand(0)};
  operands.insert(operands.end(), at.begin(), at.end());
  Instruction* old = computation.create(Opcode::DynamicSlice, arrayLike(array, array.elementType(), sizes),
                                        operands, {}, &scatter);
  old->set<Attr::DynamicSliceSizes>(sizes);
  Instruction* value = combined(scatter, old, update);
  if (value == nullptr) return nullptr;
  if (inside != nullptr) {
    Instruction* everywhere = broadcastTo(inside, sizes, {}, scatter);
    value = computation.create(Opcode::Select, old->shape(), {everywhere, value, old}, {}, &scatter);
  }
  operands.insert(operands.begin() + 1, value);
  return computation.create(Opcode::DynamicUpdateSlice, array, operands, {}, &scatter);
}

}  // namespace

// Updates of one place give the same sum in any order, unless they round.
bool dependsOnOrder(const Instruction& i) {
  if (i.get<Attr::UniqueIndices>().value_or(false)) return false;
  const Computation& combiner = *i.get<Attr::ToApply>();
  const Opcode by = combiner.root()->opcode();
  if (combiner.instructionCount() != 3) return true;
  const bool mayRound =
      isFloat(i.operand(0)->shape().elementType()) || isComplex(i.operand(0)->shape().elementType());
  return !(by == Opcode::Maximum || by == Opcode::Minimum || by == Opcode::And || by == Opcode::Or ||
           by == Opcode::Xor || (!mayRound && (by == Opcode::Add || by == Opcode::Multiply)));
}

Result<bool> expandSimpleScatters(Module& module, PassContext& context, const ScatterSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* scatter : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isWanted(*scatter, settings.mode) || (scatter->users().empty() && !scatter->isRoot())) continue;
      if (!context.mayChange(*scatter)) return changed;
      const bool isOne = settings.mode == ScatterMode::Simple && !scatter->shape().isTuple();
      Instruction* made = isOne ? expanded(*scatter) : scatterLoop(*scatter);
      if (made == nullptr) {
        context.remark(*scatter, "missed", "its combiner is more than one operation");
        continue;
      }
      context.remark(*scatter, "expanded",
                     fmt::format("{} %{}", isOne ? "one update:" : "each update in turn:", made->name()));
      computation->replaceAllUses(scatter, made);
      computation->remove(scatter);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
