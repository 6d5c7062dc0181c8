// Dots by tensor cores (mma.sync), with what is computed before and after them.
//
// Rule: a dot of kLeastSize rows and columns and kStepBytes a sum, or a fusion about one, is of types in
// tensor_types.def, or of f32 converted from such, and the target has the instruction. A block does 128 by
// 128 elements where that fills a GPU, else 64 by 64. Tiles of both operands are in shared memory, twice: the
// next are copied while one is multiplied. Sums are those of the tensor cores, f32, f64 or s32.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/tensor_tile.h"
#include "core/compiler/codegen/gpu/tensor_types.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kLeastSize = 16;
constexpr int64_t kManyPieces = 128;

DotForm tensorForm(const Instruction& dot) {
  DotForm form = dotFormOf(dot);
  form.left.operand = &tensorOperand(*form.left.operand);
  form.right.operand = &tensorOperand(*form.right.operand);
  return form;
}

bool isForTensorCores(const Instruction& dot) {
  if (dot.opcode() != Opcode::Dot || dot.operandCount() != 2) return false;
  const TensorType* type = tensorTypeOf(dot);
  if (type == nullptr) return false;
  const DotForm form = tensorForm(dot);
  return form.rows() >= kLeastSize && form.columns() >= kLeastSize &&
         form.sum() * elementStorageBytes(type->left) >= kStepBytes && form.batch() > 0;
}

// Warps lie in a rectangle; each does tiles of 16 rows by 8 columns.
struct TensorPlan {
  int64_t rows, columns;  // of a block
  int64_t warpsDown, tilesDown, tilesAcross;

  int64_t squaresDown(const DotForm& form) const { return (form.rows() + rows - 1) / rows; }
  int64_t squaresAcross(const DotForm& form) const { return (form.columns() + columns - 1) / columns; }
  int64_t pieces(const DotForm& form) const { return form.batch() * squaresDown(form) * squaresAcross(form); }
};
constexpr TensorPlan kLarge{128, 128, 2, 4, 4}, kSmall{64, 64, 4, 1, 4};

class TensorDot {
 public:
  TensorDot(KernelDraft& draft, const Instruction& instruction, const DotForm& form, const TensorPlan& plan)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        block_(k_),
        form_(form),
        plan_(plan),
        root_(writtenBy(instruction)),
        type_(*tensorTypeOf(*form.dot)),
        left_(elements_, block_, form.left, plan.rows),
        right_(elements_, block_, form.right, plan.columns) {}

  void write() {
    findSquare();
    for (int64_t i = 0; i < plan_.tilesDown * plan_.tilesAcross * 4; ++i)
      sums_.push_back(k_.variable(k_.scalars().zero(type_.sum)));
    const int64_t depth = TensorTile::depthOf(type_.left), steps = (form_.sum() + depth - 1) / depth;
    block_.barrier();  // the tiles of the piece before have been read
    fill(k_.int64(0));
    k_.loop(k_.int64(0), k_.int64(steps), [&](Value* step) {
      Value* next = b_.CreateAdd(step, k_.int64(1));
      k_.branch(
          b_.CreateICmpULT(next, k_.int64(steps)), [&] { elements_.inFrame([&] { fill(next); }); },
          [&] { TensorTile::commitCopies(b_); });
      TensorTile::waitForCopies(b_, 1);
      block_.barrier();
      multiply(b_.CreateAnd(step, k_.int64(1)));
      block_.barrier();
    });
    store();
  }

 private:
  void findSquare() {
    Value* across = k_.int64(plan_.squaresAcross(form_));
    Value* down = k_.int64(plan_.squaresDown(form_));
    Value* square = b_.CreateUDiv(block_.piece(), across);
    firstColumn_ = b_.CreateMul(b_.CreateURem(block_.piece(), across), k_.int64(plan_.columns));
    firstRow_ = b_.CreateMul(b_.CreateURem(square, down), k_.int64(plan_.rows));
    batch_ = b_.CreateUDiv(square, down);
    lane_ = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
    Value* warp = b_.CreateUDiv(block_.thread(), k_.int64(kWarpThreads));
    warpRow_ = b_.CreateMul(b_.CreateURem(warp, k_.int64(plan_.warpsDown)), k_.int64(plan_.tilesDown * 16));
    warpColumn_ =
        b_.CreateMul(b_.CreateUDiv(warp, k_.int64(plan_.warpsDown)), k_.int64(plan_.tilesAcross * 8));
  }

  void fill(Value* step) {
    Value* number = b_.CreateAnd(step, k_.int64(1));
    Value* summed = b_.CreateMul(step, k_.int64(TensorTile::depthOf(type_.left)));
    left_.fill(number, batch_, firstRow_, summed);
    right_.fill(number, batch_, firstColumn_, summed);
    TensorTile::commitCopies(b_);
  }

  void multiply(Value* number) {
    for (int64_t step = 0; step < kTileBytes / kStepBytes; ++step) {
      std::vector<llvm::SmallVector<Value*, 4>> rows, columns;
      for (int64_t i = 0; i < plan_.tilesDown; ++i)
        rows.push_back(left_.load(number, b_.CreateAdd(warpRow_, k_.int64(16 * i)), step, true));
      for (int64_t i = 0; i < plan_.tilesAcross; i += 2)
        columns.push_back(right_.load(number, b_.CreateAdd(warpColumn_, k_.int64(8 * i)), step, false));
      for (int64_t r = 0; r < plan_.tilesDown; ++r) {
        for (int64_t c = 0; c < plan_.tilesAcross; ++c) {
          const auto& pair = columns[static_cast<size_t>(c / 2)];
          const auto second = static_cast<size_t>(c % 2 * 2);
          multiplyTile(static_cast<size_t>((r * plan_.tilesAcross + c) * 4), rows[static_cast<size_t>(r)],
                       {pair[second], pair[second + 1]});
        }
      }
    }
  }

  // Of each row of registers by its column, added to four sums.
  void multiplyTile(size_t sum, llvm::ArrayRef<Value*> row, llvm::ArrayRef<Value*> column) {
    if (type_.isByHalves()) {
      for (size_t half = 0; half < 2; ++half) addProduct(sum + 2 * half, 2, {row[half]}, {column[0]});
    } else {
      addProduct(sum, 4, row, column);
    }
  }

  void addProduct(size_t sum, unsigned count, llvm::ArrayRef<Value*> row, llvm::ArrayRef<Value*> column) {
    llvm::SmallVector<Value*, 10> arguments(row);
    llvm::append_range(arguments, column);
    if (type_.left == ElementType::F16) {
      for (Value*& bits : arguments)
        bits = b_.CreateBitCast(bits, llvm::FixedVectorType::get(b_.getHalfTy(), 2));
    }
    for (unsigned i = 0; i < count; ++i) arguments.push_back(k_.get(sums_[sum + i]).value);
    Value* added = b_.CreateIntrinsic(type_.instruction, arguments);
    for (unsigned i = 0; i < count; ++i) k_.set(sums_[sum + i], {b_.CreateExtractValue(added, i)});
  }

  // Of each tile a thread has two elements of a row, and two of the eighth row after.
  void store() {
    Value* ownRow = b_.CreateAdd(b_.CreateAdd(firstRow_, warpRow_), b_.CreateUDiv(lane_, k_.int64(4)));
    Value* ownColumn = b_.CreateAdd(b_.CreateAdd(firstColumn_, warpColumn_),
                                    b_.CreateMul(b_.CreateURem(lane_, k_.int64(4)), k_.int64(2)));
    for (size_t sum = 0; sum < sums_.size(); ++sum) {
      const auto tile = static_cast<int64_t>(sum / 4), part = static_cast<int64_t>(sum % 4);
      Value* row = b_.CreateAdd(ownRow, k_.int64(tile / plan_.tilesAcross * 16 + part / 2 * 8));
      Value* column = b_.CreateAdd(ownColumn, k_.int64(tile % plan_.tilesAcross * 8 + part % 2));
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(row, k_.int64(form_.rows())),
                                 b_.CreateICmpULT(column, k_.int64(form_.columns())));
      k_.branch(isIn, [&] { elements_.inFrame([&] { storeElement(row, column, k_.get(sums_[sum])); }); });
    }
  }

  void storeElement(Value* row, Value* column, Scalar sum) {
    const ElementIndex index = form_.resultAt(k_, batch_, row, column);
    elements_.know(*form_.dot, index,
                   {k_.scalars().convert(type_.sum, form_.dot->shape().elementType(), sum)});
    const auto shapes = arrayLeaves(root_.shape());
    for (size_t i = 0; i < shapes.size(); ++i)
      k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block block_;
  const DotForm& form_;
  const TensorPlan plan_;
  const Instruction& root_;
  const TensorType& type_;
  TensorTile left_, right_;
  std::vector<KernelBuilder::Variable> sums_;
  Value *firstRow_ = nullptr, *firstColumn_ = nullptr, *batch_ = nullptr, *lane_ = nullptr;
  Value *warpRow_ = nullptr, *warpColumn_ = nullptr;  // in the square
};

bool hasInstruction(const LoweringContext& context, const Instruction& dot) {
  const auto target = findGpuTarget(context.draft.program.target.processor);
  return target && target->number >= tensorTypeOf(dot)->firstTarget;
}

}  // namespace

Result<bool> lowerTensorDot(const Instruction& instruction, LoweringContext& context) {
  const auto dots = heroesOf(instruction, isForTensorCores);
  if (dots.size() != 1 || !hasInstruction(context, *dots[0])) return false;
  const DotForm form = tensorForm(*dots[0]);
  const TensorPlan& plan = kLarge.pieces(form) >= kManyPieces ? kLarge : kSmall;
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TensorDot(draft, instruction, form, plan).write();
  const Status done =
      draft.finish(Block::iterations(plan.pieces(form)), 100 + form.batch() * form.rows() * form.columns());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
