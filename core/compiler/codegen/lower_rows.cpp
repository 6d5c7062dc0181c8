// Fusions around reductions of whole rows, such as a softmax or a normalisation: row after row, each
// reduction once, then the row of the result. What lies between stays in registers, and the row in the first
// cache.
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;

namespace {

// Of a row of the result: of an array of the result's dimensions, over the one that is dense there.
bool reducesRows(const Instruction& reduction, Shape result) {
  const Shape operand = reduction.operand(0)->shape();
  return reduction.operandCount() == 2 && reduction.dimensions().size() == 1 &&
         reduction.dimensions()[0] == majorToMinor(result).back() &&
         sameMemoryOrder(operand.withElementType(result.elementType()), result);
}

bool isRowStep(const Instruction& step) {
  switch (step.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Constant:
    case Opcode::Iota:
      return true;
    case Opcode::Parameter:
      return step.shape().isArray();
    default:
      return isElementwise(step.opcode());
  }
}

// The reductions in order; none when the fusion is of another kind.
std::vector<const Instruction*> rowReductionsOf(const Computation& fused) {
  const Shape result = fused.root()->shape();
  if (!result.isArray() || result.rank() == 0 || fused.root()->opcode() == Opcode::Reduce) return {};
  std::vector<const Instruction*> reductions;
  for (const Instruction* step : fused.instructions()) {
    if (step->opcode() == Opcode::Reduce && reducesRows(*step, result)) {
      reductions.push_back(step);
    } else if (!isRowStep(*step)) {
      return {};
    }
  }
  return reductions;
}

}  // namespace

Result<bool> Lowering::lowerRows(const Instruction& fusion, Scope& scope) {
  const Computation& fused = *fusion.calledComputations()[0];
  const auto reductions = rowReductionsOf(fused);
  const Shape shape = fusion.shape();
  if (reductions.empty() || shape.elementCount() == 0) return false;
  for (const Instruction* operand : fusion.operands()) {
    if (std::ranges::any_of(valuesOf(*operand, scope), &LeafValue::isDynamic)) return false;
  }
  const LeafValues results = newLeaves(shape);
  KernelDraft draft(*this, fusion, scope, results);
  KernelBuilder& k = draft.builder();
  ElementEmitter& elements = draft.elements();
  const auto order = majorToMinor(shape);
  const auto dense = static_cast<size_t>(order.back());
  const int64_t length = shape.dimension(dense), rows = shape.elementCount() / length;
  k.loop(k.begin(), k.end(), [&](Value* row) {
    llvm::SmallVector<Value*, 6> place(shape.rank());
    Value* rest = row;
    for (size_t i = order.size() - 1; i-- > 0;) {
      const auto d = static_cast<size_t>(order[i]);
      place[d] = i == 0 ? rest : k.b().CreateURem(rest, k.int64(shape.dimension(d)));
      if (i > 0) rest = k.b().CreateUDiv(rest, k.int64(shape.dimension(d)));
    }
    llvm::SmallVector<Value*, 6> kept(place);
    kept.erase(kept.begin() + static_cast<ptrdiff_t>(dense));
    elements.inFrame([&] {
      // Known from here on wherever the row asks for them.
      for (const Instruction* reduction : reductions) elements.at(*reduction, k.indexAt(kept));
      k.loop(k.int64(0), k.int64(length), [&](Value* column) {
        elements.inFrame([&] {
          place[dense] = column;
          const ElementIndex index = k.indexAt(place);
          k.store(draft.resultBuffer(0), shape, index, elements.at(*fused.root(), index));
        });
      });
    });
  });
  const auto passes = static_cast<double>(reductions.size() + 1);
  const double costNs = std::min(1e15, 0.5 * passes * static_cast<double>(shape.elementCount()));
  const Status done = draft.finish(rows, 100 + static_cast<int64_t>(costNs));
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  scope.values[&fusion] = results;
  return true;
}

}  // namespace hilo
