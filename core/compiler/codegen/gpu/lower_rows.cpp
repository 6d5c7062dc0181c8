// Reductions of rows, that is over the fastest varying dimension, and what is computed of them row by row,
// such as a softmax or a normalisation: as one kernel.
//
// Rule: every reduction folds the fastest varying dimension, in all the same ones, and no other work is
// between. A row is done by a power of two of threads: of a warp, which hand sums to each other by shuffles,
// or all of a block, whose warps do so through shared memory, where rows are long or few. Each thread reads
// 16 bytes at once where rows are multiples of that. Few long rows are first folded in parts, by as many
// blocks, and then the parts.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/reduction_parts.h"
#include "core/compiler/codegen/gpu/vectors.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

// How the threads share the work.
struct RowPlan {
  int64_t rows, length;
  int64_t vector = 1;   // elements a thread reads side by side
  int64_t threads = 1;  // of a row
  int64_t parts = 1;    // a row is folded in, each of `partLength`
  int64_t partLength;

  int64_t rowsOfBlock() const { return kBlockThreads / threads; }
  int64_t pieces() const { return (rows * parts + rowsOfBlock() - 1) / rowsOfBlock(); }
};

constexpr int64_t kFewRows = 256;      // a block each leaves the GPU half empty
constexpr int64_t kPartBytes = 32768;  // of a row: it is worth a block

int64_t threadsFor(int64_t steps, int64_t rows, bool keepsOrder) {
  const auto wanted = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(steps)));
  const bool isLong = steps >= 2 * kBlockThreads || (rows < kFewRows && steps >= 2 * kWarpThreads);
  return isLong && !keepsOrder ? kBlockThreads : std::min<int64_t>(wanted, kWarpThreads);
}

class RowKernel {
 public:
  RowKernel(KernelDraft& draft, const Instruction& instruction, const ReductionForm& form,
            const RowPlan& plan, ReductionWork work)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        block_(k_),
        form_(form),
        plan_(plan),
        work_(work),
        root_(writtenBy(instruction)) {}

  void write() {
    if (plan_.threads > kWarpThreads) block_.barrier();  // the piece before has been read
    Value* threads = k_.int64(plan_.threads);
    lane_ = b_.CreateURem(block_.thread(), threads);
    Value* number = b_.CreateAdd(b_.CreateMul(block_.piece(), k_.int64(plan_.rowsOfBlock())),
                                 b_.CreateUDiv(block_.thread(), threads));
    // Threads past the last row do it too, as all must come to a shuffle, and store nothing.
    const int64_t count = plan_.rows * plan_.parts;
    isReal_ = b_.CreateICmpULT(number, k_.int64(count));
    number_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, k_.int64(count - 1));
    Value* row = b_.CreateUDiv(number_, k_.int64(plan_.parts));
    part_ = b_.CreateURem(number_, k_.int64(plan_.parts));
    row_ = form_.dimensions.split(k_, form_.dimensions.kept, row);
    elements_.inFrame([&] {
      for (size_t stage = 0; stage < form_.stages.size(); ++stage) reduce(stage);
      if (work_ == ReductionWork::Parts) return;
      storeResults();
      if (form_.hasWhole()) storeRows();
    });
  }

 private:
  bool isNeeded(size_t stage) const { return stage + 1 < form_.stages.size() || form_.hasWhole(); }

  ElementIndex at(Value* column) {
    return form_.dimensions.at(k_, row_, form_.dimensions.split(k_, form_.dimensions.folded, column));
  }

  // Elements side by side are so in the fastest varying dimension.
  std::vector<ElementIndex> vectorAt(Value* first) {
    Places folded = form_.dimensions.split(k_, form_.dimensions.folded, first);
    std::vector<ElementIndex> indices;
    Value* minor = folded.back();
    for (int64_t v = 0; v < plan_.vector; ++v) {
      folded.back() = b_.CreateAdd(minor, k_.int64(v), "", true, true);
      indices.push_back(form_.dimensions.at(k_, row_, folded));
    }
    return indices;
  }

  // The thread's own vectors of the row, by their first column.
  void forEachVector(const std::function<void(Value*)>& body) {
    const int64_t length = plan_.partLength, step = plan_.threads * plan_.vector;
    Value* begin = b_.CreateMul(part_, k_.int64(length));
    k_.loop(k_.int64(0), k_.int64((length + step - 1) / step), [&](Value* i) {
      Value* own = b_.CreateMul(b_.CreateAdd(b_.CreateMul(i, k_.int64(plan_.threads)), lane_),
                                k_.int64(plan_.vector), "", true, true);
      Value* column = plan_.parts == 1 ? own : b_.CreateAdd(begin, own, "", true, true);
      const auto inside = [&] { elements_.inFrame([&] { body(column); }); };
      Value* isIn = b_.getTrue();
      if (length % step != 0) isIn = b_.CreateICmpULT(own, k_.int64(length));
      if (plan_.parts * length != plan_.length)
        isIn = b_.CreateAnd(isIn, b_.CreateICmpULT(column, k_.int64(plan_.length)));
      isIn == b_.getTrue() ? inside() : k_.branch(isIn, inside);
    });
  }

  using Folds = std::vector<Accumulator>;
  using Totals = std::vector<std::vector<KernelBuilder::Variable>>;

  void reduce(size_t stage) {
    Folds folds;
    for (const Instruction* reduction : form_.stages[stage]) folds.emplace_back(elements_, *reduction);
    for (size_t i = 0; i < folds.size(); ++i) {
      Scalars total = work_ == ReductionWork::Rest ? foldParts(folds[i])
                      : folds[i].keepsOrder()      ? foldInOrder(folds[i])
                                                   : Scalars();
      if (!total.empty()) give(folds[i], std::move(total), stage);
    }
    if (work_ != ReductionWork::Rest) foldTogether(folds, stage);
  }

  // Those of a stage that may be folded in any order are so in one pass over the row.
  void foldTogether(Folds& folds, size_t stage) {
    Totals totals(folds.size());
    for (size_t i = 0; i < folds.size(); ++i) {
      if (folds[i].keepsOrder()) continue;
      for (const Scalar& start : folds[i].neutral()) totals[i].push_back(k_.variable(start));
    }
    if (std::ranges::all_of(totals, [](const auto& total) { return total.empty(); })) return;
    forEachVector([&](Value* column) {
      for (const ElementIndex& index : vectorAt(column)) {
        for (size_t i = 0; i < folds.size(); ++i) {
          if (!totals[i].empty()) set(totals[i], folds[i].combine(get(totals[i]), folds[i].element(index)));
        }
      }
    });
    for (size_t i = 0; i < folds.size(); ++i) {
      if (totals[i].empty()) continue;
      Scalars total = combineThreads(folds[i], get(totals[i]));
      if (work_ != ReductionWork::Parts) total = folds[i].combine(folds[i].initial(), total);
      give(folds[i], std::move(total), stage);
    }
  }

  // As many columns as the row has threads at once, combined as they lie.
  Scalars foldInOrder(Accumulator& fold) {
    const int64_t length = plan_.length, threads = plan_.threads;
    std::vector<KernelBuilder::Variable> total;
    for (const Scalar& start : fold.initial()) total.push_back(k_.variable(start));
    k_.loop(k_.int64(0), k_.int64((length + threads - 1) / threads), [&](Value* i) {
      Value* first = b_.CreateMul(i, k_.int64(threads));
      Value* column =
          b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateAdd(first, lane_), k_.int64(length - 1));
      Value* valid = length % threads == 0 ? nullptr : b_.CreateSub(k_.int64(length), first);
      elements_.inFrame([&] {
        const Scalars chunk =
            fold.combineLanes(block_, fold.element(at(column)), static_cast<int>(threads), lane_, valid);
        set(total, fold.combine(get(total), chunk));
      });
    });
    return get(total);
  }

  Scalars foldParts(Accumulator& fold) {
    std::vector<KernelBuilder::Variable> total;
    for (const Scalar& start : fold.neutral()) total.push_back(k_.variable(start));
    k_.loop(k_.int64(0), k_.int64((plan_.length + plan_.threads - 1) / plan_.threads), [&](Value* i) {
      Value* column = b_.CreateAdd(b_.CreateMul(i, k_.int64(plan_.threads)), lane_);
      k_.branch(b_.CreateICmpULT(column, k_.int64(plan_.length)), [&] {
        Value* place = b_.CreateAdd(b_.CreateMul(number_, k_.int64(plan_.length)), column);
        Scalars part;
        for (const ElementType type : fold.types())
          part.push_back(k_.load(table_++, partShape(type), linear(place, type)));
        set(total, fold.combine(get(total), part));
      });
    });
    return fold.combine(fold.initial(), combineThreads(fold, get(total)));
  }

  Shape partShape(ElementType type) const { return partsShape(type, plan_, work_); }

 public:
  // Of what the parts of all rows gave.
  static Shape partsShape(ElementType type, const RowPlan& plan, ReductionWork work) {
    const int64_t size = plan.rows * (work == ReductionWork::Parts ? plan.parts : plan.length);
    return Shape::array(type, {size});
  }

 private:
  ElementIndex linear(Value* place, ElementType type) { return {{}, place, partShape(type)}; }

  // For all threads of the row that need it: one of the first lane, or the value of all.
  Scalars combineThreads(Accumulator& fold, Scalars own) {
    const int width = static_cast<int>(std::min<int64_t>(plan_.threads, kWarpThreads));
    Scalars total = fold.combineLanes(block_, std::move(own), width);
    if (plan_.threads <= kWarpThreads) return total;
    constexpr int64_t kWarps = kBlockThreads / kWarpThreads;
    SharedAccumulators warps(block_, k_, fold.types(), kWarps);
    Value* isFirst = b_.CreateICmpEQ(b_.CreateURem(lane_, k_.int64(kWarpThreads)), k_.int64(0));
    k_.branch(isFirst, [&] { warps.store(b_.CreateUDiv(lane_, k_.int64(kWarpThreads)), total); });
    block_.barrier();
    total = warps.load(k_.int64(0));
    for (int64_t w = 1; w < kWarps; ++w) total = fold.combine(total, warps.load(k_.int64(w)));
    return total;
  }

  // The total is the reduction's from here on, or goes where the parts lie.
  void give(Accumulator& fold, Scalars total, size_t stage) {
    if (work_ == ReductionWork::Parts) {
      k_.branch(storesHere(), [&] {
        for (size_t i = 0; i < total.size(); ++i) {
          const ElementType type = fold.types()[i];
          k_.store(draft_.resultBuffer(result_++), partShape(type), linear(number_, type), total[i]);
        }
      });
      return;
    }
    if (isNeeded(stage) && plan_.threads > 1 && plan_.threads <= kWarpThreads) {
      for (Scalar& value : total) value = block_.fromFirstLane(value, static_cast<int>(plan_.threads));
    }
    elements_.know(fold.reduction(), form_.dimensions.resultAt(k_, row_), fold.result(total));
  }

  Value* storesHere() { return b_.CreateAnd(isReal_, b_.CreateICmpEQ(lane_, k_.int64(0))); }

  void storeResults() {
    if (std::ranges::find(form_.isWhole, false) == form_.isWhole.end()) return;
    const auto shapes = arrayLeaves(root_.shape());
    const ElementIndex index = form_.dimensions.resultAt(k_, row_);
    k_.branch(storesHere(), [&] {
      elements_.inFrame([&] {
        for (size_t i = 0; i < shapes.size(); ++i) {
          if (!form_.isWhole[i])
            k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
        }
      });
    });
  }

  void storeRows() {
    const auto shapes = arrayLeaves(root_.shape());
    const auto store = [&](Value* column) {
      const auto indices = vectorAt(column);
      for (size_t i = 0; i < shapes.size(); ++i) {
        if (!form_.isWhole[i]) continue;
        Scalars values;
        for (const ElementIndex& index : indices) values.push_back(resultAt(elements_, root_, i, index));
        for (size_t v = 0; v < values.size(); ++v)
          k_.store(draft_.resultBuffer(i), shapes[i], indices[v], values[v]);
      }
    };
    k_.branch(isReal_, [&] { elements_.inFrame([&] { forEachVector(store); }); });
  }

  Scalars get(const std::vector<KernelBuilder::Variable>& total) {
    Scalars values;
    for (const auto& variable : total) values.push_back(k_.get(variable));
    return values;
  }
  void set(const std::vector<KernelBuilder::Variable>& total, const Scalars& values) {
    for (size_t i = 0; i < values.size(); ++i) k_.set(total[i], values[i]);
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block block_;
  const ReductionForm& form_;
  const RowPlan plan_;
  const ReductionWork work_;
  const Instruction& root_;
  Value *lane_ = nullptr, *number_ = nullptr, *part_ = nullptr, *isReal_ = nullptr;
  Places row_;
  int table_ = 0;      // of parts, that is read next
  size_t result_ = 0;  // of parts, that is written next
};

RowPlan planOf(const Instruction& instruction, const ReductionForm& form, bool keepsOrder) {
  const FoldedDimensions& dimensions = form.dimensions;
  RowPlan plan{.rows = dimensions.keptCount(), .length = dimensions.foldedCount()};
  if (!keepsOrder) plan.vector = vectorLength(instruction, dimensions.minorSize(dimensions.folded));
  plan.partLength = plan.length;
  const int64_t bytes = plan.length * elementStorageBytes(dimensions.array.elementType());
  const bool canSplit = !keepsOrder && form.stages.size() == 1 && !form.hasWhole();
  if (canSplit && plan.rows < kFewRows && bytes >= 2 * kPartBytes) {
    const int64_t wanted = std::min(bytes / kPartBytes, kFewRows / plan.rows),
                  step = kBlockThreads * plan.vector;
    plan.partLength = ((plan.length + wanted - 1) / wanted + step - 1) / step * step;
    plan.parts = (plan.length + plan.partLength - 1) / plan.partLength;
  }
  const int64_t steps = (plan.partLength + plan.vector - 1) / plan.vector;
  plan.threads = threadsFor(steps, plan.rows * plan.parts, keepsOrder);
  return plan;
}

RowPlan restOf(const RowPlan& plan) {
  const auto threads = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(plan.parts)));
  return {.rows = plan.rows,
          .length = plan.parts,
          .threads = std::min<int64_t>(threads, kWarpThreads),
          .partLength = plan.parts};
}

Status addKernel(const Instruction& instruction, const ReductionForm& form, const RowPlan& plan,
                 ReductionWork work, const LeafValues& results, const LeafValues& tables,
                 LoweringContext& context) {
  KernelDraft draft(context, instruction, results, tables);
  RowKernel(draft, instruction, form, plan, work).write();
  return draft.finish(Block::iterations(plan.pieces()), 100 + plan.rows * plan.length);
}

}  // namespace

Result<bool> lowerRows(const Instruction& instruction, LoweringContext& context) {
  const auto form = reductionFormOf(instruction);
  if (!form || form->dimensions.array.elementCount() == 0 || !form->dimensions.foldsMinor()) return false;
  const RowPlan plan = planOf(instruction, *form, keepsAnOrder(*form));
  return lowerInParts<RowKernel>(
      instruction, *form, plan, restOf(plan), context,
      [&](const RowPlan& of, ReductionWork work, const LeafValues& results, const LeafValues& tables) {
        return addKernel(instruction, *form, of, work, results, tables, context);
      });
}

}  // namespace hilo::gpu
