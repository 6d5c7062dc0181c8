// Dots by tensor cores, with what is computed before and after them.
//
// Rule: a dot of kLeastSize rows and columns and kStepBytes a sum, or a fusion about one, is of types in
// tensor_types.def, or of f32 converted from such, and the target has the instruction: mma.sync, or on sm_90a
// wgmma. A block does 128 by 128 elements where that fills a GPU, else 64 by 64. Tiles of both operands are
// in shared memory, several times: the next are copied while one is multiplied. Sums are f32, f64 or s32.
#include "core/analysis/gpu_kernel_choice.h"
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/tile_products.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kLeastSize = 16;
constexpr int64_t kManyPieces = 128;

bool isForTensorCores(const Instruction& dot) {
  if (dot.opcode() != Opcode::Dot || dot.operandCount() != 2) return false;
  const TensorType* type = tensorTypeOf(dot);
  if (type == nullptr) return false;
  const DotForm form = tensorForm(dot);
  return form.rows() >= kLeastSize && form.columns() >= kLeastSize &&
         form.sum() * elementStorageBytes(type->left) >= kStepBytes && form.batch() > 0;
}

// The squares that are stated, or large ones where these fill a GPU. nullopt: there are no such squares.
std::optional<TensorPlan> planFor(const Instruction& instruction, const DotForm& form) {
  const auto stated = statedGpuKernel(instruction);
  if (!stated || stated->rows == 0)
    return kLargeSquares.pieces(form) >= kManyPieces ? kLargeSquares : kSmallSquares;
  for (const TensorPlan& plan : {kLargeSquares, kSmallSquares}) {
    if (plan.rows == stated->rows && plan.columns == stated->columns) return plan;
  }
  return std::nullopt;
}

class TensorDot {
 public:
  TensorDot(KernelDraft& draft, const Instruction& instruction, const DotForm& form, const TensorPlan& plan,
            bool byWarpgroups)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        block_(k_),
        form_(form),
        plan_(plan),
        root_(writtenBy(instruction)),
        type_(*tensorTypeOf(*form.dot)),
        products_((byWarpgroups ? warpgroupProducts : warpProducts)(elements_, block_, form, type_, plan)) {}

  // All stages but one are filled ahead; the last is filled while the first is multiplied.
  void write() {
    findSquare();
    products_->begin();
    const int64_t depth = TensorTile::depthOf(type_.left), steps = (form_.sum() + depth - 1) / depth;
    const int64_t stages = products_->stages(), ahead = stages - 1;
    block_.barrier();  // the tiles of the piece before have been read
    for (int64_t step = 0; step < ahead; ++step) fill(k_.int64(step), steps);
    k_.loop(k_.int64(0), k_.int64(steps), [&](Value* step) {
      TensorTile::waitForCopies(b_, static_cast<uint32_t>(ahead - 1));
      products_->publish();
      block_.barrier();
      fill(b_.CreateAdd(step, k_.int64(ahead)), steps);
      products_->multiply(b_.CreateURem(step, k_.int64(stages)));
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
  }

  // Commits either way, so that as many groups of copies are under way as there are stages.
  void fill(Value* step, int64_t steps) {
    k_.branch(b_.CreateICmpULT(step, k_.int64(steps)), [&] {
      elements_.inFrame([&] {
        Value* stage = b_.CreateURem(step, k_.int64(products_->stages()));
        Value* summed = b_.CreateMul(step, k_.int64(TensorTile::depthOf(type_.left)));
        products_->left().fill(stage, batch_, firstRow_, summed);
        products_->right().fill(stage, batch_, firstColumn_, summed);
      });
    });
    TensorTile::commitCopies(b_);
  }

  void store() {
    products_->give([&](Value* inRow, Value* inColumn, Scalar sum) {
      Value *row = b_.CreateAdd(firstRow_, inRow), *column = b_.CreateAdd(firstColumn_, inColumn);
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(row, k_.int64(form_.rows())),
                                 b_.CreateICmpULT(column, k_.int64(form_.columns())));
      k_.branch(isIn, [&] { elements_.inFrame([&] { storeElement(row, column, sum); }); });
    });
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
  const std::unique_ptr<TileProducts> products_;
  Value *firstRow_ = nullptr, *firstColumn_ = nullptr, *batch_ = nullptr;
};

}  // namespace

Result<bool> lowerTensorDot(const Instruction& instruction, LoweringContext& context) {
  const auto dots = heroesOf(instruction, isForTensorCores);
  const auto target = findGpuTarget(context.draft.program.target.processor);
  if (dots.size() != 1 || !target) return false;
  const TensorType& type = *tensorTypeOf(*dots[0]);
  const bool byWarpgroups = target->hasWarpgroupProducts() && !type.isByHalves();
  if (!byWarpgroups && target->number < type.firstTarget) return false;
  const DotForm form = tensorForm(*dots[0]);
  const auto plan = planFor(instruction, form);
  if (!plan) return false;
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TensorDot(draft, instruction, form, *plan, byWarpgroups).write();
  const Status done =
      draft.finish(Block::iterations(plan->pieces(form)), 100 + form.batch() * form.rows() * form.columns());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  needPtxIsa(context.draft.program.target, byWarpgroups ? type.warpgroupPtxIsa : type.ptxIsa);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
