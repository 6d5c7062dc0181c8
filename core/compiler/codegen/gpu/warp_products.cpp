// mma.sync: the eight warps lie in a rectangle, each does tiles of 16 rows by 8 columns.
#include "core/compiler/codegen/gpu/tile_products.h"
#include "core/compiler/codegen/gpu/warp_tile.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

struct WarpPlan {
  int64_t warpsDown, tilesDown, tilesAcross;
};
WarpPlan warpsFor(const TensorPlan& plan) {
  const int64_t down = warpsDown(plan), across = kBlockThreads / kWarpThreads / down;
  return {down, plan.rows / 16 / down, plan.columns / 8 / across};
}

class WarpProducts final : public TileProducts {
 public:
  WarpProducts(ElementEmitter& elements, Block& block, const DotForm& form, const TensorType& type,
               const TensorPlan& plan)
      : k_(elements.kernel()),
        b_(k_.b()),
        type_(type),
        warps_(warpsFor(plan)),
        left_(elements, block, form.left, plan.rows),
        right_(elements, block, form.right, plan.columns) {
    lane_ = b_.CreateURem(block.thread(), k_.int64(kWarpThreads));
    Value* warp = b_.CreateUDiv(block.thread(), k_.int64(kWarpThreads));
    row_ = b_.CreateMul(b_.CreateURem(warp, k_.int64(warps_.warpsDown)), k_.int64(warps_.tilesDown * 16));
    column_ = b_.CreateMul(b_.CreateUDiv(warp, k_.int64(warps_.warpsDown)), k_.int64(warps_.tilesAcross * 8));
  }

  TensorTile& left() override { return left_; }
  TensorTile& right() override { return right_; }
  int64_t stages() const override { return WarpTile::kStages; }

  void begin() override {
    for (int64_t i = 0; i < warps_.tilesDown * warps_.tilesAcross * 4; ++i)
      sums_.push_back(k_.variable(k_.scalars().zero(type_.sum)));
  }

  void multiply(Value* stage) override {
    for (int64_t step = 0; step < kTileBytes / kStepBytes; ++step) {
      std::vector<llvm::SmallVector<Value*, 4>> rows, columns;
      for (int64_t i = 0; i < warps_.tilesDown; ++i)
        rows.push_back(left_.load(stage, b_.CreateAdd(row_, k_.int64(16 * i)), step, true));
      for (int64_t i = 0; i < warps_.tilesAcross; i += 2)
        columns.push_back(right_.load(stage, b_.CreateAdd(column_, k_.int64(8 * i)), step, false));
      for (int64_t r = 0; r < warps_.tilesDown; ++r) {
        for (int64_t c = 0; c < warps_.tilesAcross; ++c) {
          const auto& pair = columns[static_cast<size_t>(c / 2)];
          const auto second = static_cast<size_t>(c % 2 * 2);
          multiplyTile(static_cast<size_t>((r * warps_.tilesAcross + c) * 4), rows[static_cast<size_t>(r)],
                       {pair[second], pair[second + 1]});
        }
      }
    }
  }

  // Of each tile a thread has two elements of a row, and two of the eighth row after.
  void give(const Take& take) override {
    Value* ownRow = b_.CreateAdd(row_, b_.CreateUDiv(lane_, k_.int64(4)));
    Value* ownColumn = b_.CreateAdd(column_, b_.CreateMul(b_.CreateURem(lane_, k_.int64(4)), k_.int64(2)));
    for (size_t sum = 0; sum < sums_.size(); ++sum) {
      const auto tile = static_cast<int64_t>(sum / 4), part = static_cast<int64_t>(sum % 4);
      take(b_.CreateAdd(ownRow, k_.int64(tile / warps_.tilesAcross * 16 + part / 2 * 8)),
           b_.CreateAdd(ownColumn, k_.int64(tile % warps_.tilesAcross * 8 + part % 2)), k_.get(sums_[sum]));
    }
  }

 private:
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

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TensorType& type_;
  const WarpPlan warps_;
  WarpTile left_, right_;
  std::vector<KernelBuilder::Variable> sums_;
  Value *lane_ = nullptr, *row_ = nullptr, *column_ = nullptr;  // of the warp, in the square
};

}  // namespace

std::unique_ptr<TileProducts> warpProducts(ElementEmitter& elements, Block& block, const DotForm& form,
                                           const TensorType& type, const TensorPlan& plan) {
  return std::make_unique<WarpProducts>(elements, block, form, type, plan);
}

}  // namespace hilo::gpu
