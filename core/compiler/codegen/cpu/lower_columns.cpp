// Reductions that leave the dense dimension of their operand: a stripe of columns is folded at once, row
// after row, so that each row of the stripe is read as it lies.
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::cpu {

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

// All of the work, or the two steps of reductions whose rows are shared out: sums of some rows each, in f64,
// and what is made of all of them.
enum class ColumnStep { Whole, Part, Join };

struct ColumnPlan {
  const Instruction& instruction;
  std::vector<ColumnReduction> reductions;
  size_t dense;  // dimension of the result
  int64_t length, units, places;
  int64_t parts = 1;  // of the rows

  int64_t iterations(ColumnStep step) const {
    return places * units * (step == ColumnStep::Part ? parts : 1);
  }
  // The sums of all parts.
  Shape partSums() const { return Shape::array(ElementType::F64, {places, parts, length}); }
};

std::optional<ColumnPlan> planOf(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  if (!shape.isArray() || shape.rank() == 0 || shape.elementCount() == 0) return std::nullopt;
  ColumnPlan plan{.instruction = instruction, .dense = static_cast<size_t>(majorToMinor(shape).back())};
  plan.length = shape.dimension(plan.dense);
  if (plan.length < 16) return std::nullopt;
  plan.units = (plan.length + kUnit - 1) / kUnit;
  plan.places = shape.elementCount() / plan.length;
  const auto found = reductionsOf(instruction);
  if (found.empty() || !keepsPlaces(instruction, found)) return std::nullopt;
  for (const Instruction* reduction : found) {
    auto columns = columnsOf(*reduction, shape);
    if (!columns) return std::nullopt;
    plan.reductions.push_back(std::move(*columns));
  }
  return plan;
}

double elementsFolded(const ColumnPlan& plan) {
  double count = 0;
  for (const ColumnReduction& columns : plan.reductions)
    count += static_cast<double>(columns.reduction->operand(0)->shape().elementCount());
  return count;
}

// In how many parts the rows are shared out, so that each thread reads on and on: where there are too few
// columns for that, and rows enough that the parts' sums cost nothing. All sums have the same parts.
int64_t partsOf(const ColumnPlan& plan) {
  constexpr int64_t kMostParts = 8, kEnoughColumns = 2048, kFewestRows = 512;
  constexpr double kFewestElements = 1 << 18;
  if (plan.places * plan.length >= kMostParts * kEnoughColumns || elementsFolded(plan) < kFewestElements)
    return 1;
  int64_t parts = kMostParts;
  for (const ColumnReduction& columns : plan.reductions) {
    if (!isFloatSum(*columns.reduction)) return 1;
    int64_t rows = 1;
    for (const int64_t size : columns.sizes) rows *= size;
    while (parts > 1 && (columns.sizes[0] % parts != 0 || rows / parts < kFewestRows)) --parts;
  }
  const auto divides = [&](const ColumnReduction& columns) { return columns.sizes[0] % parts == 0; };
  return std::ranges::all_of(plan.reductions, divides) ? parts : 1;
}

class ColumnKernel {
 public:
  // Sums of parts are the results of a Part, and the first buffers that a Join reads.
  ColumnKernel(KernelDraft& draft, const ColumnPlan& plan, ColumnStep step)
      : draft_(draft),
        k_(draft.builder()),
        b_(k_.b()),
        elements_(draft.elements()),
        plan_(plan),
        step_(step),
        shape_(plan.instruction.shape()),
        most_(std::min(kMostColumns, plan.length)) {}

  void write() {
    const auto next = k_.variable({k_.begin()});
    k_.loop(k_.begin(), k_.end(), [&](Value* i) {
      k_.branch(b_.CreateICmpEQ(i, k_.get(next).value), [&] { k_.set(next, {foldUnits(i)}); });
    });
  }

 private:
  // Some columns of one place of the other dimensions, and of one part.
  struct Stripe {
    llvm::SmallVector<Value*, 6> place;
    Value *number, *part, *first, *count;  // the place's number, columns from `first` on
  };

  // As many units as there are left, of one part. Gives the unit after them.
  Value* foldUnits(Value* i) {
    Value *unit = b_.CreateURem(i, k_.int64(plan_.units)), *rest = b_.CreateUDiv(i, k_.int64(plan_.units));
    const int64_t parts = step_ == ColumnStep::Part ? plan_.parts : 1;
    Stripe stripe{.place{shape_.rank(), k_.int64(0)}, .part = b_.CreateURem(rest, k_.int64(parts))};
    rest = stripe.number = b_.CreateUDiv(rest, k_.int64(parts));
    const auto order = majorToMinor(shape_);
    for (size_t n = order.size() - 1; n-- > 0;) {
      const auto d = static_cast<size_t>(order[n]);
      stripe.place[d] = b_.CreateURem(rest, k_.int64(shape_.dimension(d)));
      rest = b_.CreateUDiv(rest, k_.int64(shape_.dimension(d)));
    }
    const auto least = [&](Value* a, Value* b) {
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    };
    Value* given = least(b_.CreateSub(k_.end(), i), k_.int64(kMostColumns / kUnit));
    Value* taken = least(given, b_.CreateSub(k_.int64(plan_.units), unit));
    stripe.first = b_.CreateMul(unit, k_.int64(kUnit), "", true, true);
    stripe.count = plan_.units == 1 ? k_.int64(plan_.length)
                                    : least(b_.CreateMul(taken, k_.int64(kUnit)),
                                            b_.CreateSub(k_.int64(plan_.length), stripe.first));
    elements_.inFrame([&] {
      for (size_t n = 0; n < plan_.reductions.size(); ++n) {
        step_ == ColumnStep::Join ? addParts(n, stripe) : fold(plan_.reductions[n], stripe);
      }
      step_ == ColumnStep::Part ? storeSums(stripe) : storeResult(stripe);
    });
    return b_.CreateAdd(i, taken);
  }

  void fold(const ColumnReduction& columns, const Stripe& stripe) {
    auto sizes = columns.sizes;
    const bool isPart = step_ == ColumnStep::Part;
    if (isPart) sizes[0] /= plan_.parts;
    Value* before = isPart ? b_.CreateMul(stripe.part, k_.int64(sizes[0])) : nullptr;
    const auto placeOf = [&](llvm::ArrayRef<Value*> folded, Value* column) {
      llvm::SmallVector<Value*, 6> at(columns.kept.size() + columns.folded.size());
      for (size_t d = 0; d < columns.kept.size(); ++d)
        at[static_cast<size_t>(columns.kept[d])] = d == plan_.dense ? column : stripe.place[d];
      for (size_t i = 0; i < folded.size(); ++i) {
        at[static_cast<size_t>(columns.folded[i])] =
            i == 0 && isPart ? b_.CreateAdd(folded[i], before, "", true, true) : folded[i];
      }
      return k_.indexAt(at);
    };
    elements_.accumulateColumns(*columns.reduction, most_, stripe.count, sizes, placeOf,
                                {plan_.dense, stripe.first}, isPart);
  }

  ElementIndex placeOfSum(const Stripe& stripe, Value* part, Value* i) {
    return k_.indexAt({stripe.number, part, b_.CreateAdd(stripe.first, i, "", true, true)});
  }

  void storeSums(const Stripe& stripe) {
    for (size_t n = 0; n < plan_.reductions.size(); ++n) {
      k_.lineLoop(k_.int64(0), stripe.count, [&](Value* i) {
        k_.store(draft_.resultBuffer(n), plan_.partSums(), placeOfSum(stripe, stripe.part, i),
                 {elements_.columnSum(*plan_.reductions[n].reduction, i)});
      });
    }
  }

  void addParts(size_t n, const Stripe& stripe) {
    const auto partAt = [&](int64_t part, Value* i) {
      return k_.load(static_cast<int>(n), plan_.partSums(), placeOfSum(stripe, k_.int64(part), i)).value;
    };
    elements_.addColumnParts(*plan_.reductions[n].reduction, most_, stripe.count, plan_.parts, partAt,
                             {plan_.dense, stripe.first});
  }

  void storeResult(const Stripe& stripe) {
    const Computation* fused = fusedOf(plan_.instruction);
    const Instruction& root = fused != nullptr ? *fused->root() : plan_.instruction;
    k_.lineLoop(k_.int64(0), stripe.count, [&](Value* i) {
      elements_.inFrame([&] {
        auto at = stripe.place;
        at[plan_.dense] = b_.CreateAdd(stripe.first, i, "", true, true);
        const ElementIndex index = k_.indexAt(at);
        k_.store(draft_.resultBuffer(0), shape_, index, elements_.at(root, index));
      });
    });
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ElementEmitter& elements_;
  const ColumnPlan& plan_;
  const ColumnStep step_;
  const Shape shape_;
  const int64_t most_;
};

}  // namespace

Result<bool> lowerColumnReduction(const Instruction& instruction, LoweringContext& context) {
  auto plan = planOf(instruction);
  if (!plan) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::any_of(context.valuesOf(*operand), &LeafValue::isDynamic)) return false;
  }
  plan->parts = partsOf(*plan);
  const auto write = [&](ColumnStep step, const LeafValues& results, const LeafValues& sums, double terms) {
    KernelDraft draft(context, instruction, results, sums);
    ColumnKernel(draft, *plan, step).write();
    return draft.finish(plan->iterations(step), 100 + static_cast<int64_t>(std::min(1e15, 0.05 * terms)));
  };
  const LeafValues results = context.newLeaves(instruction.shape());
  const double folded = elementsFolded(*plan);
  if (plan->parts == 1) {
    TRY_STATUS(write(ColumnStep::Whole, results, {}, folded));
  } else {
    LeafValues sums;
    for (size_t i = 0; i < plan->reductions.size(); ++i) sums.push_back(context.newLeaf(plan->partSums()));
    TRY_STATUS(write(ColumnStep::Part, sums, {}, folded));
    TRY_STATUS(
        write(ColumnStep::Join, results, sums,
              static_cast<double>(sums.size()) * static_cast<double>(plan->partSums().elementCount())));
  }
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::cpu
