// Fusions around reductions of whole rows, such as a softmax or a normalisation: row after row, in stages,
// one a reduction and one for the row of the result or the one element it has there. A value that several
// stages need is worked out once and kept on the stack where that is cheaper than to work it out again; the
// row stays in a near cache.
#include "core/compiler/codegen/fetch_ahead.h"
#include "core/compiler/codegen/kernel_draft.h"

#include <ranges>
#include <set>

namespace hilo {

using llvm::Value;

namespace {

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

struct RowForm {
  Shape rows;                                  // what goes by row, its dense dimension along
  std::vector<const Instruction*> reductions;  // in order
};

// The elements of `reduced`, an array or what remains of it without its dense dimension, row by row in the
// order they have in `rows`.
bool isRowByRow(Shape reduced, Shape rows) {
  if (sameMemoryOrder(reduced.withElementType(rows.elementType()), rows)) return true;
  const auto dense = static_cast<size_t>(majorToMinor(rows).back());
  const auto strides = layoutStrides(rows), reducedStrides = layoutStrides(reduced);
  if (reduced.rank() + 1 != rows.rank()) return false;
  for (size_t d = 0; d < reduced.rank(); ++d) {
    const size_t inRows = d < dense ? d : d + 1;
    if (reduced.dimension(d) != rows.dimension(inRows)) return false;
    if (reduced.dimension(d) != 1 && reducedStrides[d] * rows.dimension(dense) != strides[inRows])
      return false;
  }
  return true;
}

// None when the fusion is of another kind.
std::optional<RowForm> rowFormOf(const Computation& fused) {
  const Shape result = fused.root()->shape();
  if (!result.isArray()) return std::nullopt;
  RowForm form;
  for (const Instruction* step : fused.instructions()) {
    if (step->opcode() == Opcode::Reduce && step->operandCount() == 2) {
      form.reductions.push_back(step);
    } else if (!isRowStep(*step)) {
      return std::nullopt;
    }
  }
  if (form.reductions.empty()) return std::nullopt;
  form.rows = form.reductions[0]->operand(0)->shape();
  if (form.rows.rank() == 0 || !isRowByRow(result, form.rows)) return std::nullopt;
  // One sum an element is what any kernel does.
  if (result.rank() != form.rows.rank() && form.reductions.size() < 2) return std::nullopt;
  for (const Instruction* reduction : form.reductions) {
    const Shape operand = reduction->operand(0)->shape();
    if (reduction->dimensions().size() != 1 || reduction->dimensions()[0] != majorToMinor(form.rows).back() ||
        !sameMemoryOrder(operand.withElementType(form.rows.elementType()), form.rows))
      return std::nullopt;
  }
  return form;
}

// Elements of a row that is asked for while the one before it is worked on: both stay near.
constexpr int64_t kLongestAskedFor = 16 << 10;

struct KeptRow {
  const Instruction* value;
  size_t stage;  // that needs it first
};

// The rows to keep, in order. Stage i is reduction i, the last the result. What a reduction folds is written
// down anyway; of other values those that cost more than reading them back.
std::vector<KeptRow> rowsToKeep(const Computation& fused, const RowForm& form, int64_t mostBytes) {
  const auto& [shape, reductions] = form;
  const auto all = fused.instructions();
  const std::vector<const Instruction*> steps(all.begin(), all.end());
  absl::flat_hash_map<const Instruction*, std::set<size_t>> neededIn;
  const auto stageOf = [&](const Instruction* reduction) {
    return static_cast<size_t>(std::ranges::find(reductions, reduction) - reductions.begin());
  };
  neededIn[fused.root()] = {reductions.size()};
  const int64_t rowBytes = 8 * shape.dimension(static_cast<size_t>(majorToMinor(shape).back()));
  int64_t roomLeft = mostBytes;  // on the stack of whoever runs the kernel
  std::vector<KeptRow> kept;
  for (const Instruction* step : steps | std::views::reverse) {
    std::set<size_t>& stages = neededIn[step];
    const bool isRow = std::ranges::equal(step->shape().dimensions(), shape.dimensions());
    if (step->opcode() == Opcode::Reduce) {
      stages = {stageOf(step)};
    } else if (isRow && stages.size() > 1 && step->operandCount() > 0 && ElementEmitter::canKeep(*step) &&
               step->opcode() != Opcode::Broadcast) {
      const size_t first = *stages.begin();
      const bool isWorthIt = isCostly(step->opcode()) || reductions[first]->operand(0) == step;
      if (isWorthIt && rowBytes <= roomLeft) {
        roomLeft -= rowBytes;
        kept.push_back({step, first});
        stages = {first};
      }
    }
    const std::set<size_t> needed = stages;
    for (const Instruction* operand : step->operands())
      neededIn[operand].insert(needed.begin(), needed.end());
  }
  std::ranges::reverse(kept);
  return kept;
}

// The index of a row in all dimensions but the dense one.
llvm::SmallVector<Value*, 6> placeOfRow(KernelBuilder& k, Shape shape, Value* row) {
  const auto order = majorToMinor(shape);
  llvm::SmallVector<Value*, 6> place(shape.rank());
  for (size_t i = order.size() - 1; i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    place[d] = i == 0 ? row : k.b().CreateURem(row, k.int64(shape.dimension(d)));
    if (i > 0) row = k.b().CreateUDiv(row, k.int64(shape.dimension(d)));
  }
  return place;
}

}  // namespace

Result<bool> Lowering::lowerRows(const Instruction& fusion, Scope& scope) {
  const Computation& fused = *fusion.calledComputations()[0];
  const auto form = rowFormOf(fused);
  if (!form || form->rows.elementCount() == 0) return false;
  for (const Instruction* operand : fusion.operands()) {
    if (std::ranges::any_of(valuesOf(*operand, scope), &LeafValue::isDynamic)) return false;
  }
  const auto& [shape, reductions] = *form;
  const Shape result = fusion.shape();
  const auto keptRows = rowsToKeep(fused, *form, target_.threadCacheBytes);
  const LeafValues results = newLeaves(result);
  KernelDraft draft(*this, fusion, scope, results);
  KernelBuilder& k = draft.builder();
  ElementEmitter& elements = draft.elements();
  const auto dense = static_cast<size_t>(majorToMinor(shape).back());
  const int64_t length = shape.dimension(dense);
  FetchAhead ahead(k, elements, shape);
  // While the last stage of a row works on what is near, the next row comes.
  const size_t askingStage = result.rank() == shape.rank() ? reductions.size() : reductions.size() - 1;
  const auto askForNextRow = [&](Value* row, size_t stage) {
    if (stage != askingStage || length > kLongestAskedFor) return;
    ahead.ask(k.b().CreateMul(k.b().CreateAdd(row, k.int64(1)), k.int64(length)), length);
  };
  const auto store = [&](const ElementIndex& index) {
    k.store(draft.resultBuffer(0), result, index, elements.at(*fused.root(), index));
  };
  k.loop(k.begin(), k.end(), [&](Value* row) {
    auto place = placeOfRow(k, shape, row), withoutDense = place;
    withoutDense.erase(withoutDense.begin() + static_cast<ptrdiff_t>(dense));
    const auto along = [&](Value* column) {
      place[dense] = column;
      return k.indexAt(place);
    };
    elements.inFrame([&] {
      for (size_t stage = 0; stage < reductions.size(); ++stage) {
        askForNextRow(row, stage);
        for (const KeptRow& kept : keptRows) {
          if (kept.stage == stage) elements.keepLine(*kept.value, dense, length, along);
        }
        // Known from here on wherever the row asks for it.
        elements.at(*reductions[stage], k.indexAt(withoutDense));
      }
      askForNextRow(row, reductions.size());
      if (result.rank() != shape.rank()) return store(k.indexAt(withoutDense));
      k.lineLoop(k.int64(0), k.int64(length),
                 [&](Value* column) { elements.inFrame([&] { store(along(column)); }); });
    });
  });
  const auto passes = static_cast<double>(reductions.size() + 1);
  const double costNs = std::min(1e15, 0.15 * passes * static_cast<double>(shape.elementCount()));
  const Status done = draft.finish(shape.elementCount() / length, 100 + static_cast<int64_t>(costNs));
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  scope.values[&fusion] = results;
  return true;
}

}  // namespace hilo
