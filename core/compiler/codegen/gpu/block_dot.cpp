// Products of matrices of a tile by the threads of a block, one by one where tensor cores do not do them.
#include "core/compiler/codegen/gpu/block_worker.h"
#include "core/compiler/codegen/tiles/dot_tile.h"

namespace hilo::gpu {

using llvm::Value;
using tiles::TileEmitter;

namespace {

// A dot without tensor cores: kDepth places of the sum at a time of both sides in shared memory, in the type
// of the sums; a thread has elements of the result in steps of as many as there are threads.
class BlockDot {
  static constexpr int64_t kDepth = 32;

 public:
  BlockDot(TileEmitter& tiles, size_t operation, BlockWorker& worker)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        worker_(worker),
        number_(operation),
        form_(tiles, operation),
        element_(k_.scalars().valueType(form_.sumType())),
        rows_(form_.lines(0)),
        columns_(form_.lines(1)),
        depth_(std::min(form_.depth(), kDepth)),
        sides_{worker.allocate(element_, rows_ * depth_), worker.allocate(element_, columns_ * depth_)},
        passes_((rows_ * columns_ + kBlockThreads - 1) / kBlockThreads),
        sums_(k_.room(element_, form_.batch() * passes_)) {}

  Status write() {
    k_.loop(k_.int64(0), k_.int64(form_.batch() * passes_),
            [&](Value* i) { b_.CreateStore(zero(), at(sums_, i)); });
    TRY_STATUS(tiles_.forEachStep(form_.dot(), [&] {
      k_.nest({form_.batch(), (form_.depth() + depth_ - 1) / depth_}, [&](llvm::ArrayRef<Value*> at) {
        Value* first = b_.CreateMul(at[1], k_.int64(depth_));
        worker_.meet();  // the sides before have been read
        tiles_.inFrame([&] { fill(0, at[0], first); });
        tiles_.inFrame([&] { fill(1, at[0], first); });
        worker_.meet();
        multiply(at[0]);
      });
    }));
    TRY_STATUS(worker_.fits());
    return worker_.giveSums(tiles_, number_, form_.dot(),
                            [this](const TileEmitter::Take& take) { give(take); });
  }

 private:
  Value* zero() { return llvm::Constant::getNullValue(element_); }
  Value* at(Value* room, Value* place) { return b_.CreateInBoundsGEP(element_, room, {place}); }

  // Places in the sum side by side.
  void fill(size_t side, Value* batch, Value* first) {
    worker_.forEachNumber(form_.lines(side) * depth_, [&](Value* number) {
      Value* line = b_.CreateUDiv(number, k_.int64(depth_));
      Value* summed = b_.CreateAdd(first, b_.CreateURem(number, k_.int64(depth_)));
      const auto copy = [&] {
        tiles_.inFrame(
            [&] { b_.CreateStore(form_.addend(side, batch, line, summed), at(sides_[side], number)); });
      };
      Value* isIn = form_.isWhole(side) ? nullptr : form_.isIn(side, batch, line, summed);
      if (form_.depth() % depth_ != 0) {
        Value* isThere = b_.CreateICmpULT(summed, k_.int64(form_.depth()));
        isIn = isIn == nullptr ? isThere : b_.CreateAnd(isIn, isThere);
      }
      if (isIn == nullptr) return copy();
      k_.branch(isIn, copy, [&] { b_.CreateStore(zero(), at(sides_[side], number)); });
    });
  }

  void forEachOwn(const std::function<void(Value* pass, Value* row, Value* column)>& body) {
    k_.loop(k_.int64(0), k_.int64(passes_), [&](Value* pass) {
      Value* own = b_.CreateAdd(b_.CreateMul(pass, k_.int64(kBlockThreads)), worker_.block().thread());
      const auto inside = [&] {
        body(pass, b_.CreateUDiv(own, k_.int64(columns_)), b_.CreateURem(own, k_.int64(columns_)));
      };
      if (rows_ * columns_ % kBlockThreads == 0) return inside();
      k_.branch(b_.CreateICmpULT(own, k_.int64(rows_ * columns_)), inside);
    });
  }

  Value* sumPlace(Value* batch, Value* pass) {
    return at(sums_, b_.CreateAdd(b_.CreateMul(batch, k_.int64(passes_)), pass));
  }

  void multiply(Value* batch) {
    forEachOwn([&](Value* pass, Value* row, Value* column) {
      const auto sum = k_.variable({zero()});
      k_.loop(k_.int64(0), k_.int64(depth_), [&](Value* i) {
        const auto side = [&](size_t n, Value* line) {
          Value* place = b_.CreateAdd(b_.CreateMul(line, k_.int64(depth_)), i);
          return b_.CreateLoad(element_, at(sides_[n], place));
        };
        k_.set(sum, {multiplyAdd(side(0, row), side(1, column), k_.get(sum).value)});
      });
      Value* place = sumPlace(batch, pass);
      Value *old = b_.CreateLoad(element_, place), *more = k_.get(sum).value;
      b_.CreateStore(isFloat(form_.sumType()) ? b_.CreateFAdd(old, more) : b_.CreateAdd(old, more), place);
    });
  }

  Value* multiplyAdd(Value* a, Value* b, Value* sum) {
    if (!isFloat(form_.sumType())) return b_.CreateAdd(sum, b_.CreateMul(a, b));
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, sum});
  }

  void give(const TileEmitter::Take& take) {
    k_.loop(k_.int64(0), k_.int64(form_.batch()), [&](Value* batch) {
      forEachOwn([&](Value* pass, Value* row, Value* column) {
        take(form_.resultAt(batch, row, column),
             form_.result(b_.CreateLoad(element_, sumPlace(batch, pass))));
      });
    });
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  BlockWorker& worker_;
  const size_t number_;
  tiles::DotTileForm form_;
  llvm::Type* element_;
  const int64_t rows_, columns_, depth_;
  Value* sides_[2];
  const int64_t passes_;
  Value* sums_;
};

}  // namespace

Status BlockWorker::dot(TileEmitter& tiles, size_t operation) {
  TRY(const bool isDone, tensorDot(tiles, operation, *this, target_));
  if (isDone) return {};
  // Lives as long as what it deals is asked for.
  auto dot = std::make_shared<BlockDot>(tiles, operation, *this);
  TRY_STATUS(dot->write());
  keep(std::move(dot));
  return {};
}

}  // namespace hilo::gpu
