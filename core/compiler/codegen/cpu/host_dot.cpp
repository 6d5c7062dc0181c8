// Products of matrices of a tile by one thread.
#include "core/compiler/codegen/cpu/host_worker.h"
#include "core/compiler/codegen/tiles/dot_tile.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

// Both sides in room of their own in the type of the sums, the left by rows and the right by places in
// the sum, so that neighbours of the right are vectors. As many sums as fit into registers go through
// the sum at once.
class DotOnHost {
 public:
  DotOnHost(TileEmitter& tiles, size_t operation, HostWorker& worker, const VectorRegisters& registers)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        form_(tiles, operation),
        element_(k_.scalars().valueType(form_.sumType())),
        rows_(form_.lines(0)),
        columns_(form_.lines(1)),
        depth_(form_.depth()),
        lanes_(std::max<int64_t>(1, registers.bytes * 8 / element_->getScalarSizeInBits())),
        left_(worker.allocate(element_, rows_ * depth_)),
        right_(worker.allocate(element_, depth_ * columns_)),
        sums_(worker.allocate(element_, form_.batch() * rows_ * columns_)) {}

  Status write() {
    k_.lineLoop(k_.int64(0), k_.int64(form_.batch() * rows_ * columns_),
                [&](Value* i) { b_.CreateStore(llvm::Constant::getNullValue(element_), at(sums_, i)); });
    return tiles_.forEachStep(form_.dot(), [&] {
      k_.loop(k_.int64(0), k_.int64(form_.batch()), [&](Value* batch) {
        tiles_.inFrame([&] {
          fill(0, batch);
          fill(1, batch);
          multiply(b_.CreateMul(batch, k_.int64(rows_ * columns_)));
        });
      });
    });
  }

  void give(const TileRoom& room) {
    k_.lineLoop(k_.int64(0), k_.int64(form_.batch() * rows_ * columns_),
                [&](Value* i) { room.store(i, form_.result(b_.CreateLoad(element_, at(sums_, i)))); });
  }

 private:
  Value* at(Value* room, Value* place) { return b_.CreateInBoundsGEP(element_, room, {place}); }

  void fill(size_t side, Value* batch) {
    const bool isLeft = side == 0;
    const int64_t outer = isLeft ? rows_ : depth_, inner = isLeft ? depth_ : columns_;
    k_.loop(k_.int64(0), k_.int64(outer), [&](Value* i) {
      k_.lineLoop(k_.int64(0), k_.int64(inner), [&](Value* j) {
        Value *line = isLeft ? i : j, *summed = isLeft ? j : i;
        Value* to = at(isLeft ? left_ : right_, b_.CreateAdd(b_.CreateMul(i, k_.int64(inner)), j));
        const auto copy = [&] {
          tiles_.inFrame([&] { b_.CreateStore(form_.addend(side, batch, line, summed), to); });
        };
        Value* isIn = form_.isWhole(side) ? nullptr : form_.isIn(side, batch, line, summed);
        if (isIn == nullptr) return copy();
        k_.branch(isIn, copy, [&] { b_.CreateStore(llvm::Constant::getNullValue(element_), to); });
      });
    });
  }

  // By pieces of kRows rows and two vectors; what is left over is narrower.
  void multiply(Value* firstSum) {
    constexpr int64_t kRows = 6;
    const int64_t wide = 2 * lanes_;
    const auto pieces = [&](int64_t size, int64_t by, const std::function<void(Value*, int64_t)>& body) {
      k_.loop(k_.int64(0), k_.int64(size / by), [&](Value* i) { body(b_.CreateMul(i, k_.int64(by)), by); });
      if (size % by != 0) body(k_.int64(size / by * by), size % by);
    };
    pieces(columns_, wide, [&](Value* column, int64_t width) {
      pieces(rows_, kRows,
             [&](Value* row, int64_t height) { multiplyPiece(firstSum, row, height, column, width); });
    });
  }

  void multiplyPiece(Value* firstSum, Value* row, int64_t height, Value* column, int64_t width) {
    std::vector<llvm::Type*> vectors;
    for (int64_t w = 0; w < width; w += lanes_)
      vectors.push_back(
          llvm::FixedVectorType::get(element_, static_cast<unsigned>(std::min(lanes_, width - w))));
    const auto placeOf = [&](int64_t r, size_t v) {
      Value* line = b_.CreateMul(b_.CreateAdd(row, k_.int64(r)), k_.int64(columns_));
      Value* across = b_.CreateAdd(column, k_.int64(static_cast<int64_t>(v) * lanes_));
      return at(sums_, b_.CreateAdd(firstSum, b_.CreateAdd(line, across)));
    };
    const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
    std::vector<KernelBuilder::Variable> sums;
    for (int64_t r = 0; r < height; ++r) {
      for (size_t v = 0; v < vectors.size(); ++v)
        sums.push_back(k_.variable({b_.CreateAlignedLoad(vectors[v], placeOf(r, v), alignment)}));
    }
    k_.loop(k_.int64(0), k_.int64(depth_), [&](Value* i) {
      std::vector<Value*> across;
      Value* line = b_.CreateAdd(b_.CreateMul(i, k_.int64(columns_)), column);
      for (size_t v = 0; v < vectors.size(); ++v)
        across.push_back(b_.CreateAlignedLoad(
            vectors[v], at(right_, b_.CreateAdd(line, k_.int64(static_cast<int64_t>(v) * lanes_))),
            alignment));
      for (int64_t r = 0; r < height; ++r) {
        Value* place = b_.CreateAdd(b_.CreateMul(b_.CreateAdd(row, k_.int64(r)), k_.int64(depth_)), i);
        Value* factor = b_.CreateLoad(element_, at(left_, place));
        for (size_t v = 0; v < vectors.size(); ++v) {
          const auto& sum = sums[static_cast<size_t>(r) * vectors.size() + v];
          k_.set(sum, {multiplyAdd(factor, across[v], k_.get(sum).value)});
        }
      }
    });
    for (int64_t r = 0; r < height; ++r) {
      for (size_t v = 0; v < vectors.size(); ++v)
        b_.CreateAlignedStore(k_.get(sums[static_cast<size_t>(r) * vectors.size() + v]).value, placeOf(r, v),
                              alignment);
    }
  }

  Value* multiplyAdd(Value* factor, Value* vector, Value* sum) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
    Value* everywhere = b_.CreateVectorSplat(type->getNumElements(), factor);
    if (!isFloat(form_.sumType())) return b_.CreateAdd(sum, b_.CreateMul(everywhere, vector));
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector->getType()}, {everywhere, vector, sum});
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  tiles::DotTileForm form_;
  llvm::Type* element_;
  const int64_t rows_, columns_, depth_, lanes_;
  Value *left_, *right_, *sums_;
};

}  // namespace

Status HostWorker::dot(TileEmitter& tiles, size_t operation) {
  DotOnHost dot(tiles, operation, *this, registers_);
  TRY_STATUS(dot.write());
  const TileOperation& of = tiles.operation(operation);
  std::vector<TileRoom> rooms = {room(of.type(), of.tile.elements())};
  dot.give(rooms[0]);
  tiles.hold(operation, std::move(rooms));
  return fits();
}

}  // namespace hilo::cpu
