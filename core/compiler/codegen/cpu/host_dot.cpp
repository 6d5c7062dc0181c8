// Products of matrices of a tile by one thread.
#include "core/compiler/codegen/cpu/dot_side.h"
#include "core/compiler/codegen/cpu/written_over.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

// As many sums as fit into registers go through the sum at once.
class DotOnHost {
 public:
  DotOnHost(TileEmitter& tiles, size_t operation, HostWorker& worker, const VectorRegisters& registers)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        number_(operation),
        form_(tiles, operation),
        element_(k_.scalars().valueType(form_.sumType())),
        rows_(form_.lines(0)),
        columns_(form_.lines(1)),
        lanes_(std::max<int64_t>(1, registers.bytes * 8 / element_->getScalarSizeInBits())),
        sums_(worker.room(form_.sumType(), count())) {}

  Status write(HostWorker& worker) {
    if (isInSteps())
      k_.lineLoop(k_.int64(0), k_.int64(count()),
                  [&](Value* i) { sums_.store(i, {llvm::Constant::getNullValue(element_)}); });
    writeLeftOver(worker);
    return tiles_.forEachStep(form_.dot(), [&] {
      DotSide left(tiles_, form_, 0, rows_, lanes_, worker),
          right(tiles_, form_, 1, std::min(columns_, 2 * lanes_), lanes_, worker);
      k_.loop(k_.int64(0), k_.int64(form_.batch()), [&](Value* batch) {
        tiles_.inFrame([&] {
          left.bring(batch, k_.int64(0), rows_);
          multiply(left, right, batch);
        });
      });
    });
  }

  // The sums as elements of the result.
  TileRoom give(HostWorker& worker) {
    const ElementType type = form_.dot().type();
    if (type == form_.sumType()) return sums_;
    const TileRoom room = worker.room(type, count());
    k_.lineLoop(k_.int64(0), k_.int64(count()),
                [&](Value* i) { room.store(i, form_.result(sums_.load(i).value)); });
    return room;
  }

 private:
  using Piece = std::function<void(Value* first, int64_t size)>;

  int64_t count() const { return form_.batch() * rows_ * columns_; }
  bool isInSteps() const { return form_.dot().loop.has_value(); }

  // A left side that is computed is written over what it is made of, where that can be.
  void writeLeftOver(HostWorker& worker) {
    const TileUse left = form_.dot().operands[0];
    const TileOperation& of = tiles_.operation(left.operation);
    const bool isPlain = form_.dot().op == TileOp::Dot && !isInSteps() && !of.tile.isMasked();
    if (!isPlain || of.type(left.result) != form_.sumType()) return;
    const TileRoom* over = roomToWriteOver(tiles_, left.operation, number_);
    if (over == nullptr) return;
    const TileRoom room = *over;
    worker.forEach(tiles_.placed(of.tile, of.instruction->shape()), [&](const tiles::Place& place) {
      tiles_.inFrame([&] { room.store(tiles_.numberIn(of.sizes(), place), tiles_.element(left, place)); });
    });
    tiles_.hold(left.operation, {room});
  }

  // By pieces of six rows and two vectors: rows in pieces of as many or one less, what is left over of the
  // columns is narrower.
  void multiply(DotSide& left, DotSide& right, Value* batch) {
    const int64_t wide = 2 * lanes_;
    Value* firstSum = b_.CreateMul(batch, k_.int64(rows_ * columns_));
    const Piece panel = [&](Value* column, int64_t width) {
      right.bring(batch, column, width);
      forPiecesOfRows([&](Value* row, int64_t height) {
        multiplyPiece(left, right, firstSum, row, height, column, width);
      });
    };
    forEqual(k_.int64(0), columns_ / wide, wide, panel);
    if (columns_ % wide != 0) panel(k_.int64(columns_ / wide * wide), columns_ % wide);
  }

  void forEqual(Value* from, int64_t pieces, int64_t size, const Piece& body) {
    k_.loop(k_.int64(0), k_.int64(pieces), [&](Value* i) {
      body(b_.CreateAdd(from, b_.CreateMul(i, k_.int64(size), "", true, true), "", true, true), size);
    });
  }

  void forPiecesOfRows(const Piece& body) {
    constexpr int64_t kRows = 6;
    const int64_t pieces = (rows_ + kRows - 1) / kRows, high = (rows_ + pieces - 1) / pieces,
                  highPieces = rows_ - pieces * (high - 1);
    forEqual(k_.int64(0), highPieces, high, body);
    if (pieces > highPieces) forEqual(k_.int64(highPieces * high), pieces - highPieces, high - 1, body);
  }

  void multiplyPiece(DotSide& left, DotSide& right, Value* firstSum, Value* row, int64_t height,
                     Value* column, int64_t width) {
    std::vector<llvm::Type*> vectors;
    for (int64_t w = 0; w < width; w += lanes_)
      vectors.push_back(
          llvm::FixedVectorType::get(element_, static_cast<unsigned>(std::min(lanes_, width - w))));
    const auto across = [&](size_t v) { return k_.int64(static_cast<int64_t>(v) * lanes_); };
    const auto placeOf = [&](int64_t r, size_t v) {
      Value* line = b_.CreateMul(b_.CreateAdd(row, k_.int64(r)), k_.int64(columns_));
      return sums_.address(b_.CreateAdd(firstSum, b_.CreateAdd(line, b_.CreateAdd(column, across(v)))));
    };
    const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
    std::vector<KernelBuilder::Variable> sums;
    for (int64_t r = 0; r < height; ++r) {
      for (size_t v = 0; v < vectors.size(); ++v) {
        Value* before = llvm::Constant::getNullValue(vectors[v]);
        if (isInSteps()) before = b_.CreateAlignedLoad(vectors[v], placeOf(r, v), alignment);
        sums.push_back(k_.variable({before}));
      }
    }
    k_.loop(k_.int64(0), k_.int64(form_.depth()), [&](Value* i) {
      std::vector<Value*> factors;
      for (size_t v = 0; v < vectors.size(); ++v)
        factors.push_back(b_.CreateAlignedLoad(vectors[v], right.at(across(v), i), alignment));
      for (int64_t r = 0; r < height; ++r) {
        Value* factor = b_.CreateLoad(element_, left.at(b_.CreateAdd(row, k_.int64(r), "", true, true), i));
        for (size_t v = 0; v < vectors.size(); ++v) {
          const auto& sum = sums[static_cast<size_t>(r) * vectors.size() + v];
          k_.set(sum, {multiplyAdd(factor, factors[v], k_.get(sum).value)});
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
  const size_t number_;
  tiles::DotTileForm form_;
  llvm::Type* element_;
  const int64_t rows_, columns_, lanes_;
  const TileRoom sums_;
};

}  // namespace

Status HostWorker::dot(TileEmitter& tiles, size_t operation) {
  DotOnHost dot(tiles, operation, *this, registers_);
  TRY_STATUS(dot.write(*this));
  tiles.hold(operation, {dot.give(*this)});
  return fits();
}

}  // namespace hilo::cpu
