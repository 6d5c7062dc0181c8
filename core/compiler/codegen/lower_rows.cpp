// Fusions around reductions of whole rows, such as a softmax or a normalisation: row after row, in stages,
// one a reduction and one for the row of the result. A value that several stages need is worked out once and
// kept on the stack where that is cheaper than to work it out again; the row stays in a near cache.
#include "core/compiler/codegen/kernel_draft.h"

#include <ranges>
#include <set>

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

bool isCostly(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs:
    case Opcode::Add:
    case Opcode::And:
    case Opcode::Broadcast:
    case Opcode::Compare:
    case Opcode::Constant:
    case Opcode::Convert:
    case Opcode::Copy:
    case Opcode::Iota:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Multiply:
    case Opcode::Negate:
    case Opcode::Not:
    case Opcode::Or:
    case Opcode::Parameter:
    case Opcode::Select:
    case Opcode::Subtract:
      return false;
    default:
      return true;
  }
}

// On the stack of whoever runs the kernel, and in its second cache.
constexpr int64_t kMostKeptBytes = 1 << 20;

struct KeptRow {
  const Instruction* value;
  size_t stage;  // that needs it first
};

// The rows to keep, in order. Stage i is reduction i, the last the result. What a reduction folds is written
// down anyway; of other values those that cost more than reading them back.
std::vector<KeptRow> rowsToKeep(const Computation& fused, std::span<const Instruction* const> reductions) {
  const auto all = fused.instructions();
  const std::vector<const Instruction*> steps(all.begin(), all.end());
  absl::flat_hash_map<const Instruction*, std::set<size_t>> neededIn;
  const auto stageOf = [&](const Instruction* reduction) {
    return static_cast<size_t>(std::ranges::find(reductions, reduction) - reductions.begin());
  };
  neededIn[fused.root()] = {reductions.size()};
  const Shape shape = fused.root()->shape();
  const int64_t rowBytes = 8 * shape.dimension(static_cast<size_t>(majorToMinor(shape).back()));
  int64_t roomLeft = kMostKeptBytes;
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
  const auto reductions = rowReductionsOf(fused);
  const Shape shape = fusion.shape();
  if (reductions.empty() || shape.elementCount() == 0) return false;
  for (const Instruction* operand : fusion.operands()) {
    if (std::ranges::any_of(valuesOf(*operand, scope), &LeafValue::isDynamic)) return false;
  }
  const auto rows = rowsToKeep(fused, reductions);
  const LeafValues results = newLeaves(shape);
  KernelDraft draft(*this, fusion, scope, results);
  KernelBuilder& k = draft.builder();
  ElementEmitter& elements = draft.elements();
  const auto dense = static_cast<size_t>(majorToMinor(shape).back());
  const int64_t length = shape.dimension(dense);
  k.loop(k.begin(), k.end(), [&](Value* row) {
    auto place = placeOfRow(k, shape, row), kept = place;
    kept.erase(kept.begin() + static_cast<ptrdiff_t>(dense));
    const auto along = [&](Value* column) {
      place[dense] = column;
      return k.indexAt(place);
    };
    elements.inFrame([&] {
      for (size_t stage = 0; stage < reductions.size(); ++stage) {
        for (const KeptRow& needed : rows) {
          if (needed.stage == stage) elements.keepLine(*needed.value, dense, length, along);
        }
        // Known from here on wherever the row asks for it.
        elements.at(*reductions[stage], k.indexAt(kept));
      }
      k.lineLoop(k.int64(0), k.int64(length), [&](Value* column) {
        elements.inFrame([&] {
          const ElementIndex index = along(column);
          k.store(draft.resultBuffer(0), shape, index, elements.at(*fused.root(), index));
        });
      });
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
