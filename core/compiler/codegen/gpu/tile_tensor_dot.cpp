// A dot of a tile program by tensor cores: mma.sync, or on sm_90a wgmma where the tile is one of its squares.
// The square of the instruction may be larger than the tile: what is beyond is zero, and is not given.
#include "core/compiler/codegen/gpu/block_worker.h"
#include "core/compiler/codegen/gpu/tile_products.h"
#include "core/compiler/codegen/tiles/dot_tile.h"

namespace hilo::gpu {

using llvm::Value;
using tiles::DotTileForm;
using tiles::Place;
using tiles::TileEmitter;

namespace {

constexpr int64_t kLeastSize = 16;
constexpr int64_t kMostSums = 128;  // registers of a thread

int64_t upTo(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// The smallest square that holds the tile and that eight warps can share.
TensorPlan squareFor(int64_t rows, int64_t columns) {
  int64_t down = upTo(rows, kLeastSize);
  if (down > 2 * kLeastSize) down = upTo(rows, 64);
  return {down, upTo(columns, warpColumns(down))};
}

class TensorTileDot {
 public:
  TensorTileDot(TileEmitter& tiles, size_t operation, BlockWorker& worker, const TensorType& type,
                const TensorPlan& plan, bool byWarpgroups)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        worker_(worker),
        number_(operation),
        form_(tiles, operation),
        type_(type),
        plan_(plan),
        sides_(tensorForm(*form_.dot().instruction)),
        products_((byWarpgroups ? warpgroupProducts : warpProducts)(tiles.applied(), worker.block(), sides_,
                                                                    type_, plan_)) {}

  Status write() {
    TRY_STATUS(worker_.fits());
    products_->begin();
    const auto turn = k_.variable({k_.int64(0)});
    worker_.meet();  // the tiles of the piece before have been read
    TRY_STATUS(tiles_.forEachStep(form_.dot(), [&] { addStep(turn); }));
    return worker_.giveSums(tiles_, number_, form_.dot(),
                            [this](const TileEmitter::Take& take) { give(take); });
  }

 private:
  // As much of the sum at a time as a line of the tiles holds, in turns into each of them: who fills one has
  // met all that read it.
  void addStep(const KernelBuilder::Variable& turn) {
    const int64_t depth = TensorTile::depthOf(type_.left);
    k_.loop(k_.int64(0), k_.int64((form_.depth() + depth - 1) / depth), [&](Value* piece) {
      Value* stage = b_.CreateURem(k_.get(turn).value, k_.int64(products_->stages()));
      k_.set(turn, {b_.CreateAdd(k_.get(turn).value, k_.int64(1))});
      Value* first = b_.CreateMul(piece, k_.int64(depth));
      tiles_.inFrame([&] { fill(0, products_->left(), plan_.rows, type_.left, stage, first); });
      tiles_.inFrame([&] { fill(1, products_->right(), plan_.columns, type_.right, stage, first); });
      products_->publish();
      worker_.meet();
      products_->multiply(stage);
    });
  }

  void fill(size_t side, TensorTile& tile, int64_t lines, ElementType type, Value* stage, Value* first) {
    ScalarEmitter& s = k_.scalars();
    tile.fillBy(stage, [&](Value* line, Value* i, const TensorTile::Put& put) {
      Value* summed = b_.CreateAdd(first, i);
      Value* isIn = nullptr;
      const auto require = [&](Value* other) { isIn = isIn == nullptr ? other : b_.CreateAnd(isIn, other); };
      if (lines != form_.lines(side)) require(b_.CreateICmpULT(line, k_.int64(form_.lines(side))));
      if (form_.depth() % TensorTile::depthOf(type) != 0)
        require(b_.CreateICmpULT(summed, k_.int64(form_.depth())));
      if (!form_.isWhole(side)) {
        Value* inArrays = form_.isIn(side, k_.int64(0), line, summed);
        if (inArrays != nullptr) require(inArrays);
      }
      const auto copy = [&] {
        tiles_.inFrame([&] {
          const Scalar x = form_.element(side, k_.int64(0), line, summed);
          put(s.toStorage(type, s.convert(form_.elementType(side), type, x)));
        });
      };
      if (isIn == nullptr) return copy();
      k_.branch(isIn, copy, [&] { put(llvm::Constant::getNullValue(s.storageType(type))); });
    });
  }

  void give(const TileEmitter::Take& take) {
    products_->give([&](Value* row, Value* column, Scalar sum) {
      Value* isIn = nullptr;
      if (plan_.rows != form_.lines(0)) isIn = b_.CreateICmpULT(row, k_.int64(form_.lines(0)));
      if (plan_.columns != form_.lines(1)) {
        Value* isAcross = b_.CreateICmpULT(column, k_.int64(form_.lines(1)));
        isIn = isIn == nullptr ? isAcross : b_.CreateAnd(isIn, isAcross);
      }
      const auto takeIt = [&] {
        take(form_.resultAt(k_.int64(0), row, column),
             k_.scalars().convert(type_.sum, form_.dot().type(), sum));
      };
      isIn == nullptr ? takeIt() : k_.branch(isIn, takeIt);
    });
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  BlockWorker& worker_;
  const size_t number_;
  DotTileForm form_;
  const TensorType& type_;
  const TensorPlan plan_;
  const DotForm sides_;
  const std::unique_ptr<TileProducts> products_;
};

}  // namespace

Result<bool> tensorDot(TileEmitter& tiles, size_t operation, BlockWorker& worker, ProgramTarget& target) {
  const TileOperation& of = tiles.operation(operation);
  const auto gpu = findGpuTarget(target.processor);
  if (of.op != TileOp::Dot || !gpu) return false;
  const TensorType* type = tensorTypeOf(*of.instruction);
  const DotTileForm form(tiles, operation);
  if (type == nullptr || form.batch() != 1 || form.lines(0) < kLeastSize || form.lines(1) < kLeastSize ||
      form.depth() * elementStorageBytes(type->left) < kStepBytes)
    return false;
  TensorPlan plan = squareFor(form.lines(0), form.lines(1));
  const auto isSquare = [&](const TensorPlan& of) {
    return plan.rows == of.rows && plan.columns == of.columns;
  };
  const bool byWarpgroups = gpu->hasWarpgroupProducts() && !type->isByHalves() &&
                            (isSquare(kLargeSquares) || isSquare(kSmallSquares));
  if (!byWarpgroups && gpu->number < type->firstTarget) return false;
  if (plan.rows * plan.columns > kMostSums * kBlockThreads) return false;
  auto dot = std::make_shared<TensorTileDot>(tiles, operation, worker, *type, plan, byWarpgroups);
  TRY_STATUS(dot->write());
  worker.keep(std::move(dot));
  needPtxIsa(target, byWarpgroups ? type->warpgroupPtxIsa : type->ptxIsa);
  return true;
}

}  // namespace hilo::gpu
