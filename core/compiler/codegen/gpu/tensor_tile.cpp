#include "core/compiler/codegen/gpu/tensor_tile.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "core/compiler/codegen/gpu/vectors.h"

namespace hilo::gpu {

using llvm::Value;

int64_t TensorTile::depthOf(ElementType type) { return kTileBytes / elementStorageBytes(type); }

bool TensorTile::isTurned(const DotSide& side) {
  return side.isAlongFree() && elementStorageBytes(side.shape().elementType()) == 2;
}

TensorTile::TensorTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines,
                       const Room& room)
    : k_(elements.kernel()),
      b_(k_.b()),
      block_(block),
      side_(side),
      lines_(lines),
      type_(side.shape().elementType()),
      elements_(elements),
      stageElements_(room.elements),
      tiles_(block.shared(k_.scalars().storageType(type_), room.stages * room.elements, room.alignment)) {}

Value* TensorTile::inStage(Value* stage, Value* line, Value* i) {
  return b_.CreateAdd(b_.CreateMul(stage, k_.int64(stageElements_)), placeOf(line, i));
}

Value* TensorTile::addressOf(Value* stage, Value* line, Value* i) {
  return b_.CreateInBoundsGEP(tiles_.type, tiles_.array, {inStage(stage, line, i)});
}

// 16 bytes in memory are 16 bytes of the tile, and are read as they are.
bool TensorTile::isCopied() const {
  const int64_t width = kVectorBytes / elementStorageBytes(type_);
  return elements_.leafOf(*side_.operand) &&
         side_.isDense(isTurned(side_) ? side_.free : side_.summed, width);
}

void TensorTile::fill(Value* stage, Value* batch, Value* firstLine, Value* firstSummed) {
  if (isCopied()) return copy(stage, batch, firstLine, firstSummed);
  ScalarEmitter& s = k_.scalars();
  DotTile(elements_, block_, side_, lines_, depthOf(type_))
      .fill(batch, firstLine, firstSummed, [&](Value* line, Value* i, const Scalar& element, Value* isIn) {
        Value* bits = s.toStorage(type_, element);
        Value* zero = llvm::Constant::getNullValue(bits->getType());
        block_.store(tiles_, inStage(stage, line, i), b_.CreateSelect(isIn, bits, zero));
      });
}

void TensorTile::fillBy(Value* stage, const std::function<void(Value*, Value*, const Put&)>& give) {
  const bool turned = isTurned(side_);
  const int64_t quickCount = turned ? lines_ : depthOf(type_);
  const int64_t count = lines_ * depthOf(type_);
  k_.loop(k_.int64(0), k_.int64((count + kBlockThreads - 1) / kBlockThreads), [&](Value* round) {
    Value* own = b_.CreateAdd(b_.CreateMul(round, k_.int64(kBlockThreads)), block_.thread());
    const auto giveOwn = [&] {
      Value *quick = b_.CreateURem(own, k_.int64(quickCount)),
            *slow = b_.CreateUDiv(own, k_.int64(quickCount));
      Value *line = turned ? quick : slow, *i = turned ? slow : quick;
      give(line, i, [&](Value* stored) { block_.store(tiles_, inStage(stage, line, i), stored); });
    };
    count % kBlockThreads == 0 ? giveOwn() : k_.branch(b_.CreateICmpULT(own, k_.int64(count)), giveOwn);
  });
}

// By the unit that copies beside the threads. Outside of the operand nothing is read, and zeros are written.
void TensorTile::copy(Value* stage, Value* batch, Value* firstLine, Value* firstSummed) {
  const ElementEmitter::Leaf leaf = *elements_.leafOf(*side_.operand);
  const bool turned = isTurned(side_);
  const int64_t width = kVectorBytes / elementStorageBytes(type_), depth = depthOf(type_);
  const int64_t quickCount = (turned ? lines_ : depth) / width, count = lines_ * depth / width;
  const int64_t lines = side_.count(side_.free), sum = side_.count(side_.summed);
  for (int64_t first = 0; first < count; first += kBlockThreads) {
    Value* own = b_.CreateAdd(block_.thread(), k_.int64(first));
    Value* quick = b_.CreateMul(b_.CreateURem(own, k_.int64(quickCount)), k_.int64(width));
    Value* slow = b_.CreateUDiv(own, k_.int64(quickCount));
    Value *line = turned ? quick : slow, *i = turned ? slow : quick;
    Value *row = b_.CreateAdd(firstLine, line), *summed = b_.CreateAdd(firstSummed, i);
    Value* isIn =
        b_.CreateAnd(b_.CreateICmpULT(row, k_.int64(lines)), b_.CreateICmpULT(summed, k_.int64(sum)));
    const auto within = [&](Value* at, Value* size) {
      return b_.CreateSelect(b_.CreateICmpULT(at, size), at, k_.int64(0));
    };
    llvm::SmallVector<Value*, 6> at(side_.shape().rank());
    placeIn(k_, side_, side_.batch, batch, at);
    placeIn(k_, side_, side_.free, within(row, k_.int64(lines)), at);
    placeIn(k_, side_, side_.summed, within(summed, k_.int64(sum)), at);
    Value* from =
        b_.CreateAddrSpaceCast(k_.pointerTo(leaf.buffer, leaf.shape, k_.indexAt(at)), b_.getPtrTy(1));
    Value* bytes = b_.CreateSelect(isIn, b_.getInt32(kVectorBytes), b_.getInt32(0));
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s,
                       {addressOf(stage, line, i), from, bytes});
  }
}

void TensorTile::commitCopies(llvm::IRBuilder<>& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void TensorTile::waitForCopies(llvm::IRBuilder<>& b, uint32_t left) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {b.getInt32(left)});
}

}  // namespace hilo::gpu
