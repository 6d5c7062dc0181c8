// Instructions and fusions whose elements can be computed one by one, and updates in place.
#include "core/analysis/cost/op_work.h"
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/choices/kernel_cost.h"
#include "core/compiler/codegen/cpu/cumulative.h"
#include "core/compiler/codegen/cpu/fetch_ahead.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/cpu/walk.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/compiler/codegen/lower/partial_sort_lowering.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/compiler/codegen/lower/update_in_place.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

bool isCostlyWork(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Fusion)
    return isElementwise(instruction.opcode()) && isCostly(instruction.opcode());
  const auto steps = instruction.calledComputations()[0]->instructions();
  return std::ranges::any_of(steps,
                             [](const Instruction* step) {
                               return isElementwise(step->opcode()) && isCostly(step->opcode());
                             }) &&
         std::ranges::none_of(steps, [](const Instruction* step) { return isOfMany(step->opcode()); });
}

constexpr int64_t kNothingIsFar = std::numeric_limits<int64_t>::max();

// What the kernel stores, computed anew at each index.
class ElementWriter {
 public:
  ElementWriter(KernelDraft& draft, const Instruction& instruction, std::span<const Shape> shapes)
      : draft_(draft),
        k_(draft.builder()),
        elements_(draft.elements()),
        instruction_(instruction),
        shapes_(shapes),
        isFlat_(hilo::isFlat(instruction, shapes[0])) {}

  // The loops over all elements of the results; how many iterations they have.
  int64_t write() {
    if (instruction_.opcode() == Opcode::ReduceWindow) {
      if (const auto window = cumulativeWindow(instruction_))
        return writeCumulative(k_, elements_, instruction_, *window,
                               [&](const auto& index, const auto& values) { store(index, values); });
    }
    const bool isCostly = isCostlyWork(instruction_), arePieces = HeldPiece::isInPieces(shapes_[0]);
    FetchAhead ahead(k_, elements_, shapes_[0], isCostly ? k_.target().threadCacheBytes : kNothingIsFar);
    const bool inPieces =
        shapes_[0].rank() > 0 && (isCostly ? ahead.isWorthIt() || arePieces
                                           : arePieces && (isRoundedByPieces() || movesLinesPastCaches()));
    const WritePiece nearFirst = [&](int64_t count, const auto& at) { writeNearFirst(count, at); };
    const WritePiece held = [&](int64_t count, const auto& at) { writeHeld(count, at); };
    const bool holds = shapes_.size() == 1 && (isRoundedByPieces() || goesPastCaches());
    const WritePiece writePiece = !arePieces       ? WritePiece()
                                  : hasNearForms() ? nearFirst
                                  : holds          ? held
                                                   : WritePiece();
    const Walk walk =
        inPieces ? walkInPieces(shapes_[0], isFlat_, ahead, writePiece) : walkOver(shapes_[0], isFlat_);
    walk.run(k_, [&](const ElementIndex& index) { store(index, valuesAt(index)); });
    return walk.iterations;
  }

 private:
  std::vector<Scalar> valuesAt(const ElementIndex& index) {
    // In order, so that a long chain of operations is no deep recursion.
    if (isFlat_ && instruction_.opcode() == Opcode::Fusion) {
      for (const Instruction* inner : instruction_.calledComputations()[0]->instructions()) {
        if (inner->shape().isArray())
          elements_.allAt(*inner, inner->shape().rank() == 0 ? ElementIndex{} : index);
      }
    }
    return elements_.allAt(writtenBy(instruction_), index);
  }

  void store(const ElementIndex& index, const std::vector<Scalar>& values) {
    CHECK(values.size() == shapes_.size());
    for (size_t i = 0; i < shapes_.size(); ++i)
      k_.store(draft_.resultBuffer(i), shapes_[i], index, values[i]);
  }

  bool hasNearForms() const {
    const auto isReal = [](Shape shape) { return isFloat(shape.elementType()); };
    const auto has = [](const Instruction* step) {
      return step->shape().isArray() && hasNearForm(step->opcode(), step->shape().elementType());
    };
    if (!std::ranges::all_of(shapes_, isReal)) return false;
    return instruction_.opcode() == Opcode::Fusion
               ? std::ranges::any_of(instruction_.calledComputations()[0]->instructions(), has)
               : has(&instruction_);
  }

  // Whether the last step rounds to bf16, which the processor does for many at once.
  bool isRoundedByPieces() const {
    return k_.bf16Rounding() != nullptr && shapes_.size() == 1 &&
           shapes_[0].elementType() == ElementType::BF16 && isElementwise(writtenBy(instruction_).opcode());
  }

  // Whether it takes pieces of lines to other places as they are: the result's own lines would be read first.
  bool movesLinesPastCaches() const {
    const bool turns = instruction_.opcode() == Opcode::Transpose;
    if ((!turns && instruction_.opcode() != Opcode::Copy) || isFlat_ ||
        !HeldPiece::canHold(shapes_[0].elementType()) || shapes_[0].byteSize() < k_.target().allCacheBytes)
      return false;
    const auto last = static_cast<size_t>(majorToMinor(shapes_[0]).back());
    const auto from = turns ? static_cast<size_t>(instruction_.dimensions()[last]) : last;
    return layoutStrides(instruction_.operand(0)->shape())[from] == 1;
  }

  bool goesPastCaches() const {
    return instruction_.shape().isArray() &&
           (movesLinesPastCaches() || HeldPiece::goesPastCaches(k_, instruction_));
  }

  void writeHeld(int64_t count, const std::function<ElementIndex(Value*)>& at) {
    CHECK(count == HeldPiece::kCount);
    HeldPiece piece(k_, draft_.resultBuffer(0), shapes_[0], goesPastCaches());
    k_.shortLineLoop(count, [&](Value* i) { piece.hold(i, valuesAt(at(i))[0]); });
    piece.write(at(k_.int64(0)));
  }

  // The piece with functions as they are near zero, and once more with all of them where one is called
  // beyond: what it gives is held back till that is known, as it may go where its operands lie.
  void writeNearFirst(int64_t count, const std::function<ElementIndex(Value*)>& at) {
    llvm::IRBuilder<>& b = k_.b();
    const auto isFar = k_.variable({b.getInt32(0)});
    llvm::SmallVector<Value*, 2> held;
    for (const Shape shape : shapes_)
      held.push_back(k_.room(k_.scalars().valueType(shape.elementType()), count));
    const auto heldAt = [&](size_t n, Value* i) {
      return b.CreateInBoundsGEP(k_.scalars().valueType(shapes_[n].elementType()), held[n], {i});
    };
    const auto hold = [&](Value* i) {
      const auto values = valuesAt(at(i));
      for (size_t n = 0; n < values.size(); ++n) b.CreateStore(values[n].value, heldAt(n, i));
    };
    const auto storeHeld = [&](Value* i) {
      std::vector<Scalar> values;
      for (size_t n = 0; n < shapes_.size(); ++n)
        values.push_back({b.CreateLoad(k_.scalars().valueType(shapes_[n].elementType()), heldAt(n, i))});
      store(at(i), values);
    };
    elements_.inFrame([&] { k_.scalars().whileNear(isFar.value, [&] { k_.shortLineLoop(count, hold); }); });
    k_.branch(
        b.CreateICmpEQ(k_.get(isFar).value, b.getInt32(0)), [&] { k_.shortLineLoop(count, storeHeld); },
        [&] {
          elements_.inFrame(
              [&] { k_.shortLineLoop(count, [&](Value* i) { store(at(i), valuesAt(at(i))); }); });
        });
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  ElementEmitter& elements_;
  const Instruction& instruction_;
  std::span<const Shape> shapes_;
  bool isFlat_;
};

}  // namespace

Status lowerElementKernel(const Instruction& instruction, LoweringContext& context) {
  if (!readsRealSizes(instruction, context)) {
    TRY(const bool isTransposed, lowerTransposeInSquares(instruction, context));
    if (isTransposed) return {};
    TRY(const bool isFolded, lowerColumnReduction(instruction, context));
    if (isFolded) return {};
    TRY(const bool isLines, lowerMinorReduction(instruction, context));
    if (isLines) return {};
    TRY(const bool isJoined, lowerInPieces(instruction, context));
    if (isJoined) return {};
  }
  const auto shapes = arrayLeaves(instruction.shape());
  LeafValues results = context.newLeaves(instruction.shape());
  const Shape first = shapes[0];
  if (first.elementCount() > 0) {
    const FoldedSizes folded = foldedSizes(instruction, context);
    KernelDraft draft(context, instruction, results, folded.sizes);
    for (size_t i = 0; i < folded.dimensions.size(); ++i)
      draft.elements().addRealSize(*instruction.operand(0), folded.dimensions[i], static_cast<int>(i));
    const int64_t iterations = ElementWriter(draft, instruction, shapes).write();
    TRY_STATUS(draft.finish(iterations, kernelCostNs(instruction, first.elementCount())));
  }
  context.values[&instruction] = std::move(results);
  passSizesOn(instruction, context);
  return {};
}

// `update` is the instruction itself or the root of the fusion it is.
static Status lowerUpdateInPlace(const Instruction& instruction, const Instruction& update,
                                 LoweringContext& context) {
  const auto result = updatedInto(instruction, update, context);
  if (!result) return lowerElementKernel(instruction, context);
  const Instruction& source = *update.operand(1);
  const Shape shape = source.shape();
  if (shape.elementCount() > 0) {
    KernelDraft draft(context, instruction, {*result});
    const Walk walk = walkOver(shape, false);
    walk.run(draft.builder(), [&](ElementIndex index) {
      KernelBuilder& k = draft.builder();
      const auto start = dynamicStart(update, 2, instruction.shape(), shape.dimensions(), draft.elements());
      llvm::SmallVector<Value*, 6> place;
      for (size_t d = 0; d < shape.rank(); ++d)
        place.push_back(k.b().CreateAdd(start[d], k.dimsOf(index)[d]));
      k.store(draft.resultBuffer(0), instruction.shape(), k.indexAt(place),
              draft.elements().at(source, index));
    });
    TRY_STATUS(draft.finish(walk.iterations, kernelCostNs(instruction, shape.elementCount())));
  }
  context.values[&instruction] = {*result};
  return {};
}

Status lowerDynamicUpdateSlice(const Instruction& instruction, LoweringContext& context) {
  return lowerUpdateInPlace(instruction, instruction, context);
}

Status lowerFusion(const Instruction& instruction, LoweringContext& context) {
  TRY(const bool isTiled, lowerTileProgram(instruction, context));
  if (isTiled) return {};
  TRY(const bool isChain, lowerRowBlocks(instruction, context));
  if (isChain) return {};
  TRY(const bool isPartialSort, lowerPartialSort(instruction, context));
  if (isPartialSort) return {};
  TRY(const bool isRows, lowerRows(instruction, context));
  if (isRows) return {};
  const Computation& fused = *instruction.calledComputations()[0];
  const Instruction& root = *fused.root();
  if (!readsRealSizes(instruction, context) && canBeOneKernel(fused)) {
    const bool updatesParameter =
        root.opcode() == Opcode::DynamicUpdateSlice && root.operand(0)->opcode() == Opcode::Parameter;
    const Status done = updatesParameter ? lowerUpdateInPlace(instruction, root, context)
                                         : lowerElementKernel(instruction, context);
    if (done || done.error().kind != "too-large") return done;
  }
  // What one kernel cannot do, or would do many times over, several do.
  return lowerInline(instruction, fused, context);
}

}  // namespace hilo::cpu
