// Fusions around reductions of whole rows, such as a softmax or a normalisation: row after row, in stages,
// one a reduction and one for the row of the result or the one element it has there. A value that several
// stages need is computed once and kept on the stack where that is cheaper than to compute it again; the
// row stays in a near cache.
#include "core/analysis/cost/op_work.h"
#include "core/compiler/codegen/cpu/choices/dot_chain.h"
#include "core/compiler/codegen/cpu/fetch_ahead.h"
#include "core/compiler/codegen/cpu/held_piece.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

#include <ranges>
#include <set>

namespace hilo::cpu {

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

// Between two dots rows go a few of each matrix at a time (lower_row_blocks.cpp), elsewhere all.
int64_t rowsTogether(const Instruction& fusion, Shape rows) {
  const auto order = majorToMinor(rows);
  if (rows.rank() > 1 && dotChainOf(fusion.parent()))
    return rows.dimension(static_cast<size_t>(order[order.size() - 2]));
  return rows.elementCount() / rows.dimension(static_cast<size_t>(order.back()));
}

class RowKernel {
 public:
  // `together`: rows of which as many as are worked on at once go evenly into each such number.
  RowKernel(KernelDraft& draft, const Instruction& fusion, const RowForm& form, std::vector<KeptRow> kept,
            int64_t together)
      : k_(draft.builder()),
        elements_(draft.elements()),
        root_(*fusion.calledComputations()[0]->root()),
        result_(draft.resultBuffer(0)),
        shape_(form.rows),
        reductions_(form.reductions),
        kept_(std::move(kept)),
        dense_(static_cast<size_t>(majorToMinor(shape_).back())),
        length_(shape_.dimension(dense_)),
        atOnce_(together % 2 == 0 && isShort() ? 2 : 1),
        past_(HeldPiece::goesPastCaches(k_, fusion)),
        ahead_(k_, elements_, shape_, k_.target().firstCacheBytes) {}

  int64_t iterations() const { return shape_.elementCount() / length_ / atOnce_; }

  void write() {
    keepColumns();
    k_.loop(k_.begin(), k_.end(), [&](Value* i) {
      rows_.clear();
      for (int64_t n = 0; n < atOnce_; ++n) {
        Value* first = k_.b().CreateMul(i, k_.int64(atOnce_), "", true, true);
        Value* row = k_.b().CreateAdd(first, k_.int64(n), "", true, true);
        rows_.push_back({row, placeOfRow(k_, shape_, row), elements_.keptLines()});
      }
      elements_.inFrame([&] {
        for (size_t stage = 0; stage < reductions_.size(); ++stage) {
          for (Row& row : rows_) elements_.withKept(row.kept, [&] { reduceRow(row, stage); });
        }
        givesRows() ? writeRows() : writeElements();
      });
    });
  }

 private:
  struct Row {
    Value* number;
    llvm::SmallVector<Value*, 6> place;
    ElementEmitter::KeptLines kept;
  };

  int64_t bytesOfRow(const Instruction& value) const {
    return k_.scalars().valueType(value.shape().elementType())->getScalarSizeInBits() / 8 * length_;
  }

  // What is computed the same for every row, such as a scale in f32 of one in bf16, as far as it stays in
  // half of the first cache together with the rows that are kept: the rest is for what is read and written.
  void keepColumns() {
    constexpr int64_t kFewestRows = 16;
    int64_t roomLeft = k_.target().firstCacheBytes / 2;
    for (const KeptRow& row : kept_) roomLeft -= atOnce_ * bytesOfRow(*row.value);
    for (const Instruction* step : root_.parent().instructions()) {
      const bool isOfColumns = step->opcode() == Opcode::Broadcast && step->operand(0)->shape().rank() == 1 &&
                               step->dimensions()[0] == static_cast<int64_t>(dense_) &&
                               std::ranges::equal(step->shape().dimensions(), shape_.dimensions());
      if (!isOfColumns) continue;
      const Instruction& line = *step->operand(0);
      if (line.operandCount() == 0 || !ElementEmitter::canKeep(line) || elements_.keptLines().contains(&line))
        continue;
      if (iterations() < kFewestRows || (roomLeft -= bytesOfRow(line)) < 0) return;
      elements_.keepLine(line, 0, length_, [&](Value* column) { return k_.indexAt({column}); });
    }
  }

  bool givesRows() const { return root_.shape().rank() == shape_.rank(); }
  // Rows whose steps cost much by themselves gain only where they are very short, and are much to compile
  // where they are not whole pieces.
  bool isShort() const {
    const int64_t bytes = length_ * elementStorageBytes(shape_.elementType());
    const bool isCostlyRow =
        std::ranges::any_of(kept_, [](const KeptRow& row) { return isCostly(row.value->opcode()); });
    if (!isCostlyRow) return bytes <= k_.target().firstCacheBytes / 4;
    return bytes <= k_.target().firstCacheBytes / 16 && length_ % HeldPiece::kCount == 0;
  }
  // While the last stage that reads rows works on what is near, the rows after come.
  bool asks() const { return ahead_.isWorthIt() && length_ <= kLongestAskedFor; }

  void askForNext(const Row& row, Value* column, int64_t count) {
    Value* next = k_.b().CreateAdd(row.number, k_.int64(atOnce_));
    ahead_.ask(k_.b().CreateAdd(k_.b().CreateMul(next, k_.int64(length_)), column), count, atOnce_ * length_);
  }

  ElementIndex at(const Row& row, Value* column) {
    auto place = row.place;
    place[dense_] = column;
    return k_.indexAt(place);
  }
  ElementIndex withoutDense(const Row& row) {
    auto place = row.place;
    place.erase(place.begin() + static_cast<ptrdiff_t>(dense_));
    return k_.indexAt(place);
  }

  void reduceRow(const Row& row, size_t stage) {
    bool asked = !asks() || givesRows() || stage + 1 != reductions_.size();
    const ElementEmitter::WithLine askAlong = [&](Value* first, int64_t count) {
      askForNext(row, first, count);
      asked = true;
    };
    const Instruction& reduction = *reductions_[stage];
    for (size_t i = 0; i < kept_.size(); ++i) {
      const auto& [value, firstStage] = kept_[i];
      if (firstStage != stage) continue;
      const bool isLast = i + 1 == kept_.size() || kept_[i + 1].stage != stage;
      if (isLast && value == reduction.operand(0) && elements_.canFoldLine(reduction, length_)) {
        elements_.keepFoldedLine(reduction, dense_, length_);
      } else {
        elements_.keepLine(*value, dense_, length_, [&](Value* column) { return at(row, column); });
      }
    }
    // Known from here on wherever the row asks for it.
    const auto reduce = [&] { elements_.at(reduction, withoutDense(row)); };
    asked ? reduce() : elements_.withLines(askAlong, reduce);
    if (!asked) askForNext(row, k_.int64(0), length_);
  }

  // The result's element in each row, or at a column of each; what they share is read once.
  using Give = std::function<void(size_t row, const ElementIndex& index, const Scalar& x)>;
  void forEachRow(const std::function<ElementIndex(const Row&)>& indexIn, const Give& give) {
    elements_.inFrame([&] {
      for (size_t n = 0; n < rows_.size(); ++n) {
        const ElementIndex index = indexIn(rows_[n]);
        elements_.withKept(rows_[n].kept, [&] { give(n, index, elements_.at(root_, index)); });
      }
    });
  }

  void storeRows(const std::function<ElementIndex(const Row&)>& indexIn) {
    forEachRow(indexIn, [&](size_t, const ElementIndex& index, const Scalar& x) {
      k_.store(result_, root_.shape(), index, x);
    });
  }

  void writeElements() {
    storeRows([&](const Row& row) { return withoutDense(row); });
  }

  // Whether results are held back for a piece of each row.
  bool holds() const {
    return past_ || (k_.bf16Rounding() != nullptr && root_.shape().elementType() == ElementType::BF16);
  }

  // All rows in one loop.
  void writeRows() {
    constexpr int64_t kPiece = HeldPiece::kCount;
    const auto storeAt = [&](Value* column) { storeRows([&](const Row& row) { return at(row, column); }); };
    const int64_t whole = asks() || holds() ? length_ / kPiece * kPiece : 0;
    k_.loop(k_.int64(0), k_.int64(whole / kPiece), [&](Value* piece) {
      Value* first = k_.b().CreateMul(piece, k_.int64(kPiece), "", true, true);
      if (asks()) {
        for (const Row& row : rows_) askForNext(row, first, kPiece);
      }
      if (holds()) return writeHeld(first);
      k_.shortLineLoop(kPiece, [&](Value* i) { storeAt(k_.b().CreateAdd(first, i, "", true, true)); });
    });
    k_.lineLoop(k_.int64(whole), k_.int64(length_), storeAt);
  }

  void writeHeld(Value* first) {
    std::vector<HeldPiece> pieces(rows_.size(), HeldPiece(k_, result_, root_.shape(), past_));
    k_.shortLineLoop(HeldPiece::kCount, [&](Value* i) {
      Value* column = k_.b().CreateAdd(first, i, "", true, true);
      forEachRow([&](const Row& row) { return at(row, column); },
                 [&](size_t n, const ElementIndex&, const Scalar& x) { pieces[n].hold(i, x); });
    });
    for (size_t n = 0; n < rows_.size(); ++n) pieces[n].write(at(rows_[n], first));
  }

  KernelBuilder& k_;
  ElementEmitter& elements_;
  const Instruction& root_;
  int result_;
  Shape shape_;
  const std::vector<const Instruction*>& reductions_;
  std::vector<KeptRow> kept_;
  size_t dense_;
  int64_t length_;
  // A stage begins when the reduction before it has come to one element, which takes a while: the same stage
  // of another row is worked on meanwhile. Of long ones it is no matter.
  int64_t atOnce_;
  bool past_;
  FetchAhead ahead_;
  llvm::SmallVector<Row, 2> rows_;
};

}  // namespace

Result<bool> lowerRows(const Instruction& fusion, LoweringContext& context) {
  const Computation& fused = *fusion.calledComputations()[0];
  const auto form = rowFormOf(fused);
  if (!form || form->rows.elementCount() == 0) return false;
  for (const Instruction* operand : fusion.operands()) {
    if (std::ranges::any_of(context.valuesOf(*operand), &LeafValue::isDynamic)) return false;
  }
  const LeafValues results = context.newLeaves(fusion.shape());
  KernelDraft draft(context, fusion, results);
  RowKernel kernel(draft, fusion, *form, rowsToKeep(fused, *form, context.draft.target.threadCacheBytes),
                   rowsTogether(fusion, form->rows));
  kernel.write();
  const auto passes = static_cast<double>(form->reductions.size() + 1);
  const double costNs = std::min(1e15, 0.15 * passes * static_cast<double>(form->rows.elementCount()));
  const Status done = draft.finish(kernel.iterations(), 100 + static_cast<int64_t>(costNs));
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&fusion] = results;
  return true;
}

}  // namespace hilo::cpu
