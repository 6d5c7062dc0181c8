// Reductions that leave the fastest varying dimension, and what is computed of their results: as one kernel.
//
// Rule: all fold the same dimensions, not the fastest varying one, by operations that may be applied in any
// order, and nothing of the folded array's size is computed of them. A warp reads elements side by side of
// one line after the other, every eighth for each warp of the block; the warps' sums come together in shared
// memory. Few columns of many lines are folded in parts, by as many blocks, and then the parts.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/reduction_parts.h"
#include "core/compiler/codegen/gpu/vectors.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kWarps = kBlockThreads / kWarpThreads;
constexpr int64_t kManyPieces = 256;  // a block each fills a GPU
constexpr int64_t kLeastLines = 16;   // of a thread: they are worth a part

struct ColumnPlan {
  int64_t columns, lines;
  int64_t vector = 1;  // columns of a thread
  int64_t parts = 1;   // the lines are folded in, each of `partLines`
  int64_t partLines;

  int64_t groups() const { return columns / vector; }
  int64_t groupBlocks() const { return (groups() + kWarpThreads - 1) / kWarpThreads; }
  int64_t pieces() const { return groupBlocks() * parts; }
};

constexpr int64_t kMostSharedBytes = 48 << 10;

// Of what the warps hand to each other, for one column a thread.
int64_t sharedBytes(const ReductionForm& form) {
  int64_t bytes = 0;
  for (const ElementType type : partTypes(form)) bytes += kBlockThreads * elementStorageBytes(type);
  return bytes;
}

ColumnPlan planOf(const Instruction& instruction, const ReductionForm& form) {
  const FoldedDimensions& dimensions = form.dimensions;
  ColumnPlan plan{.columns = dimensions.keptCount(), .lines = dimensions.foldedCount()};
  const int64_t vector = vectorLength(instruction, dimensions.minorSize(dimensions.kept));
  if (plan.columns >= kWarpThreads * vector * kManyPieces && vector * sharedBytes(form) <= kMostSharedBytes)
    plan.vector = vector;
  const int64_t wanted = std::min(plan.lines / (kWarps * kLeastLines), kManyPieces / plan.groupBlocks());
  if (wanted > 1) plan.parts = wanted;
  plan.partLines = (plan.lines + plan.parts - 1) / plan.parts;
  plan.parts = (plan.lines + plan.partLines - 1) / plan.partLines;
  return plan;
}

ColumnPlan restOf(const ColumnPlan& plan) {
  return {.columns = plan.columns, .lines = plan.parts, .partLines = plan.parts};
}

class ColumnKernel {
 public:
  ColumnKernel(KernelDraft& draft, const Instruction& instruction, const ReductionForm& form,
               const ColumnPlan& plan, ReductionWork work)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        block_(k_),
        form_(form),
        plan_(plan),
        work_(work),
        root_(writtenBy(instruction)) {
    for (const Instruction* reduction : form.stages[0]) folds_.emplace_back(elements_, *reduction);
  }

  void write() {
    block_.barrier();  // the piece before has been read
    lane_ = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
    warp_ = b_.CreateUDiv(block_.thread(), k_.int64(kWarpThreads));
    part_ = b_.CreateUDiv(block_.piece(), k_.int64(plan_.groupBlocks()));
    Value* group = b_.CreateAdd(
        b_.CreateMul(b_.CreateURem(block_.piece(), k_.int64(plan_.groupBlocks())), k_.int64(kWarpThreads)),
        lane_);
    isReal_ = b_.CreateICmpULT(group, k_.int64(plan_.groups()));
    // Lanes past the last column do it too, and store nothing.
    group = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, group, k_.int64(plan_.groups() - 1));
    column_ = b_.CreateMul(group, k_.int64(plan_.vector), "", true, true);
    findPlaces();
    elements_.inFrame([&] { fold(); });
  }

 private:
  using Total = std::vector<KernelBuilder::Variable>;

  void findPlaces() {
    auto kept = form_.dimensions.split(k_, form_.dimensions.kept, column_);
    for (int64_t v = 0; v < plan_.vector; ++v) {
      places_.push_back(kept);
      if (v > 0) places_[v].back() = b_.CreateAdd(kept.back(), k_.int64(v), "", true, true);
    }
  }

  void fold() {
    std::vector<std::vector<Total>> totals(folds_.size());  // of each, of each column
    for (size_t i = 0; i < folds_.size(); ++i) {
      const Scalars neutral = folds_[i].neutral();
      for (int64_t v = 0; v < plan_.vector; ++v) {
        totals[i].emplace_back();
        for (const Scalar& start : neutral) totals[i].back().push_back(k_.variable(start));
      }
    }
    Value* begin = b_.CreateMul(part_, k_.int64(plan_.partLines));
    const int64_t steps = (plan_.partLines + kWarps - 1) / kWarps;
    k_.loop(k_.int64(0), k_.int64(steps), [&](Value* i) {
      Value* own = b_.CreateAdd(b_.CreateMul(i, k_.int64(kWarps)), warp_);
      Value* line = b_.CreateAdd(begin, own);
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(own, k_.int64(plan_.partLines)),
                                 b_.CreateICmpULT(line, k_.int64(plan_.lines)));
      k_.branch(isIn, [&] { elements_.inFrame([&] { addLine(line, totals); }); });
    });
    combineWarps(totals);
  }

  void addLine(Value* line, const std::vector<std::vector<Total>>& totals) {
    const auto folded = form_.dimensions.split(k_, form_.dimensions.folded, line);
    for (size_t v = 0; v < places_.size(); ++v) {
      for (size_t i = 0; i < folds_.size(); ++i) {
        const Scalars element = work_ == ReductionWork::Rest
                                    ? partAt(i, line)
                                    : folds_[i].element(form_.dimensions.at(k_, places_[v], folded));
        set(totals[i][v], folds_[i].combine(get(totals[i][v]), element));
      }
    }
  }

  // Tables are in the order in which the parts were written.
  Scalars partAt(size_t fold, Value* part) {
    int table = 0;
    for (size_t i = 0; i < fold; ++i) table += static_cast<int>(folds_[i].count());
    Scalars values;
    for (const ElementType type : folds_[fold].types())
      values.push_back(k_.load(table++, partsShape(type, plan_, work_), partIndex(type, part, 0)));
    return values;
  }

  ElementIndex partIndex(ElementType type, Value* part, size_t v) {
    Value* place = b_.CreateAdd(b_.CreateMul(part, k_.int64(plan_.columns)), column_);
    if (v > 0) place = b_.CreateAdd(place, k_.int64(static_cast<int64_t>(v)));
    return {{}, place, partsShape(type, plan_, work_)};
  }

  // Lane by lane, so that no two lanes of a warp meet in a bank.
  void combineWarps(const std::vector<std::vector<Total>>& totals) {
    const auto vector = static_cast<int64_t>(places_.size());
    const auto placeOf = [&](size_t v, Value* warp) {
      Value* line = b_.CreateAdd(warp, k_.int64(static_cast<int64_t>(v) * kWarps));
      return b_.CreateAdd(b_.CreateMul(line, k_.int64(kWarpThreads)), lane_);
    };
    std::vector<SharedAccumulators> shared;
    for (size_t i = 0; i < folds_.size(); ++i) {
      shared.emplace_back(block_, k_, folds_[i].types(), vector * kBlockThreads);
      for (size_t v = 0; v < places_.size(); ++v) shared[i].store(placeOf(v, warp_), get(totals[i][v]));
    }
    block_.barrier();
    k_.branch(b_.CreateAnd(isReal_, b_.CreateICmpEQ(warp_, k_.int64(0))), [&] {
      for (size_t v = 0; v < places_.size(); ++v) {
        elements_.inFrame([&] {
          for (size_t i = 0; i < folds_.size(); ++i) {
            Scalars total = shared[i].load(placeOf(v, k_.int64(0)));
            for (int64_t w = 1; w < kWarps; ++w)
              total = folds_[i].combine(total, shared[i].load(placeOf(v, k_.int64(w))));
            give(i, v, std::move(total));
          }
          if (work_ != ReductionWork::Parts) storeResults(v);
        });
      }
    });
  }

  void give(size_t fold, size_t v, Scalars total) {
    Accumulator& own = folds_[fold];
    if (work_ != ReductionWork::Parts) {
      total = own.combine(own.initial(), total);
      elements_.know(own.reduction(), form_.dimensions.resultAt(k_, places_[v]), own.result(total));
      return;
    }
    size_t result = 0;
    for (size_t i = 0; i < fold; ++i) result += folds_[i].count();
    for (size_t i = 0; i < total.size(); ++i) {
      const ElementType type = own.types()[i];
      k_.store(draft_.resultBuffer(result + i), partsShape(type, plan_, work_), partIndex(type, part_, v),
               total[i]);
    }
  }

  void storeResults(size_t v) {
    const auto shapes = arrayLeaves(root_.shape());
    const ElementIndex index = form_.dimensions.resultAt(k_, places_[v]);
    for (size_t i = 0; i < shapes.size(); ++i)
      k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
  }

  Scalars get(const Total& total) {
    Scalars values;
    for (const auto& variable : total) values.push_back(k_.get(variable));
    return values;
  }
  void set(const Total& total, const Scalars& values) {
    for (size_t i = 0; i < values.size(); ++i) k_.set(total[i], values[i]);
  }

 public:
  // Of what the parts of all columns gave.
  static Shape partsShape(ElementType type, const ColumnPlan& plan, ReductionWork work) {
    return Shape::array(type, {plan.columns * (work == ReductionWork::Parts ? plan.parts : plan.lines)});
  }

 private:
  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block block_;
  const ReductionForm& form_;
  const ColumnPlan plan_;
  const ReductionWork work_;
  const Instruction& root_;
  std::vector<Accumulator> folds_;
  Value *lane_ = nullptr, *warp_ = nullptr, *part_ = nullptr, *column_ = nullptr, *isReal_ = nullptr;
  std::vector<llvm::SmallVector<Value*, 6>>
      places_;  // of each column of the thread, in the dimensions that stay
};

Status addKernel(const Instruction& instruction, const ReductionForm& form, const ColumnPlan& plan,
                 ReductionWork work, const LeafValues& results, const LeafValues& tables,
                 LoweringContext& context) {
  KernelDraft draft(context, instruction, results, tables);
  ColumnKernel(draft, instruction, form, plan, work).write();
  return draft.finish(Block::iterations(plan.pieces()), 100 + plan.columns * plan.lines);
}

}  // namespace

Result<bool> lowerColumns(const Instruction& instruction, LoweringContext& context) {
  const auto form = reductionFormOf(instruction);
  if (!form || form->dimensions.array.elementCount() == 0 || form->dimensions.foldsMinor() ||
      form->hasWhole() || form->stages.size() > 1 || keepsAnOrder(*form) ||
      sharedBytes(*form) > kMostSharedBytes)
    return false;
  const ColumnPlan plan = planOf(instruction, *form);
  return lowerInParts<ColumnKernel>(
      instruction, *form, plan, restOf(plan), context,
      [&](const ColumnPlan& of, ReductionWork work, const LeafValues& results, const LeafValues& tables) {
        return addKernel(instruction, *form, of, work, results, tables, context);
      });
}

}  // namespace hilo::gpu
