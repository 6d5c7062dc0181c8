// Reductions that leave the dense dimension of their operand: a stripe of columns is folded at once, row
// after row, so that each row of the stripe is read as it lies.
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;

namespace {

// Columns are counted in units of so many, and as many units as a thread is given are folded at once, up to
// so many columns: the longer the piece of a row, the better memory is read, and where the sums lie is near.
constexpr int64_t kUnit = 512, kMostColumns = 4096;

const Computation* fusedOf(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion ? instruction.calledComputations()[0] : nullptr;
}

std::vector<const Instruction*> reductionsOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Reduce) return {&instruction};
  std::vector<const Instruction*> reductions;
  if (const Computation* fused = fusedOf(instruction)) {
    for (const Instruction* inner : fused->instructions()) {
      if (inner->opcode() == Opcode::Reduce) reductions.push_back(inner);
    }
  }
  return reductions;
}

// What the kernel does after its reductions must look at the same element of each.
bool keepsPlaces(const Instruction& instruction, std::span<const Instruction* const> reductions) {
  const Computation* fused = fusedOf(instruction);
  if (fused == nullptr) return true;
  absl::flat_hash_set<const Instruction*> after(reductions.begin(), reductions.end());
  for (const Instruction* inner : fused->instructions()) {
    if (after.contains(inner)) continue;
    if (std::ranges::none_of(inner->operands(), [&](const Instruction* o) { return after.contains(o); }))
      continue;
    if (!isElementwise(inner->opcode()) ||
        !std::ranges::equal(inner->shape().dimensions(), instruction.shape().dimensions()))
      return false;
    after.insert(inner);
  }
  return after.contains(fused->root());
}

// One reduction, by the dimensions of its operand.
struct ColumnReduction {
  const Instruction* reduction;
  std::vector<int64_t> kept;            // of the operand, by dimension of the result
  std::vector<int64_t> folded;          // slowest first
  llvm::SmallVector<int64_t, 4> sizes;  // of the folded
};

std::optional<ColumnReduction> columnsOf(const Instruction& reduction, Shape result) {
  if (reduction.operandCount() != 2 || !ElementEmitter::canAccumulateColumns(reduction) ||
      !sameMemoryOrder(reduction.shape().withElementType(result.elementType()), result))
    return std::nullopt;
  const Shape operand = reduction.operand(0)->shape();
  ColumnReduction made{&reduction, {}, {}, {}};
  const auto isFolded = [&](int64_t d) {
    return std::ranges::find(reduction.dimensions(), d) != reduction.dimensions().end();
  };
  for (int64_t d = 0; d < static_cast<int64_t>(operand.rank()); ++d) {
    if (!isFolded(d)) made.kept.push_back(d);
  }
  const auto order = majorToMinor(operand);
  int64_t rows = 1;
  for (const int64_t d : order) {
    if (!isFolded(d)) continue;
    made.folded.push_back(d);
    made.sizes.push_back(operand.dimension(static_cast<size_t>(d)));
    rows *= made.sizes.back();
  }
  const auto dense = static_cast<size_t>(majorToMinor(result).back());
  if (rows < 4 || made.kept[dense] != order.back()) return std::nullopt;
  return made;
}

}  // namespace

Result<bool> Lowering::lowerColumnReduction(const Instruction& instruction, Scope& scope) {
  const Shape shape = instruction.shape();
  if (!shape.isArray() || shape.rank() == 0) return false;
  const auto order = majorToMinor(shape);
  const auto dense = static_cast<size_t>(order.back());
  const int64_t length = shape.dimension(dense);
  if (length < 16 || shape.elementCount() == 0) return false;
  const auto found = reductionsOf(instruction);
  if (found.empty() || !keepsPlaces(instruction, found)) return false;
  std::vector<ColumnReduction> reductions;
  double folds = 0;
  for (const Instruction* reduction : found) {
    auto columns = columnsOf(*reduction, shape);
    if (!columns) return false;
    folds += static_cast<double>(reduction->operand(0)->shape().elementCount());
    reductions.push_back(std::move(*columns));
  }
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::any_of(valuesOf(*operand, scope), &LeafValue::isDynamic)) return false;
  }

  const LeafValues results = newLeaves(shape);
  KernelDraft draft(*this, instruction, scope, results);
  KernelBuilder& k = draft.builder();
  ElementEmitter& elements = draft.elements();
  const int64_t units = (length + kUnit - 1) / kUnit, most = std::min(kMostColumns, length);
  const Computation* fused = fusedOf(instruction);
  const Instruction& root = fused != nullptr ? *fused->root() : instruction;
  const auto foldStripe = [&](llvm::ArrayRef<Value*> place, Value* first, Value* count) {
    elements.inFrame([&] {
      for (const ColumnReduction& columns : reductions) {
        const auto placeOf = [&](llvm::ArrayRef<Value*> folded, Value* column) {
          llvm::SmallVector<Value*, 6> at(columns.kept.size() + columns.folded.size());
          for (size_t d = 0; d < columns.kept.size(); ++d)
            at[static_cast<size_t>(columns.kept[d])] = d == dense ? column : place[d];
          for (size_t i = 0; i < folded.size(); ++i) at[static_cast<size_t>(columns.folded[i])] = folded[i];
          return k.indexAt(at);
        };
        elements.accumulateColumns(*columns.reduction, most, count, columns.sizes, placeOf, {dense, first});
      }
      k.lineLoop(k.int64(0), count, [&](Value* i) {
        elements.inFrame([&] {
          llvm::SmallVector<Value*, 6> at(place.begin(), place.end());
          at[dense] = k.b().CreateAdd(first, i, "", true, true);
          const ElementIndex index = k.indexAt(at);
          k.store(draft.resultBuffer(0), shape, index, elements.at(root, index));
        });
      });
    });
  };
  const auto next = k.variable({k.begin()});
  const auto foldUnits = [&](Value* i) {
    Value* rest = k.b().CreateUDiv(i, k.int64(units));
    Value* unit = k.b().CreateURem(i, k.int64(units));
    llvm::SmallVector<Value*, 6> place(shape.rank(), k.int64(0));
    for (size_t n = order.size() - 1; n-- > 0;) {
      const auto d = static_cast<size_t>(order[n]);
      place[d] = k.b().CreateURem(rest, k.int64(shape.dimension(d)));
      rest = k.b().CreateUDiv(rest, k.int64(shape.dimension(d)));
    }
    const auto least = [&](Value* a, Value* b) {
      return k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    };
    Value* given = least(k.b().CreateSub(k.end(), i), k.int64(kMostColumns / kUnit));
    Value* taken = least(given, k.b().CreateSub(k.int64(units), unit));
    k.set(next, {k.b().CreateAdd(i, taken)});
    Value* first = k.b().CreateMul(unit, k.int64(kUnit), "", true, true);
    Value* count = least(k.b().CreateMul(taken, k.int64(kUnit)), k.b().CreateSub(k.int64(length), first));
    foldStripe(place, first, units == 1 ? k.int64(length) : count);
  };
  k.loop(k.begin(), k.end(),
         [&](Value* i) { k.branch(k.b().CreateICmpEQ(i, k.get(next).value), [&] { foldUnits(i); }); });
  TRY_STATUS(draft.finish(shape.elementCount() / length * units,
                          100 + static_cast<int64_t>(std::min(1e15, 0.05 * folds))));
  scope.values[&instruction] = results;
  return true;
}

}  // namespace hilo
