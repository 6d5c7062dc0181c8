#include "core/compiler/codegen/gpu/tensor_tile.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "core/compiler/codegen/gpu/vectors.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kPadBytes = 16;  // so that the 8 rows of a matrix meet in no bank

bool isTurned(const DotSide& side) {
  return side.isAlongFree() && elementStorageBytes(side.shape().elementType()) == 2;
}

int64_t pitchOf(const DotSide& side, int64_t lines) {
  const ElementType type = side.shape().elementType();
  return (isTurned(side) ? lines : TensorTile::depthOf(type)) + kPadBytes / elementStorageBytes(type);
}

int64_t elementsOf(const DotSide& side, int64_t lines) {
  return (isTurned(side) ? TensorTile::depthOf(side.shape().elementType()) : lines) * pitchOf(side, lines);
}

}  // namespace

int64_t TensorTile::depthOf(ElementType type) { return kTileBytes / elementStorageBytes(type); }

int64_t TensorTile::bytesOf(const DotSide& side, int64_t lines) {
  return 2 * elementsOf(side, lines) * elementStorageBytes(side.shape().elementType());
}

TensorTile::TensorTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines)
    : elements_(elements),
      k_(elements.kernel()),
      b_(k_.b()),
      block_(block),
      side_(side),
      lines_(lines),
      type_(side.shape().elementType()),
      isTurned_(isTurned(side)),
      tiles_(block.shared(k_.scalars().storageType(type_), 2 * elementsOf(side, lines))) {}

Value* TensorTile::baseOf(Value* number) { return b_.CreateMul(number, k_.int64(elementsOf(side_, lines_))); }

Value* TensorTile::placeOf(Value* line, Value* i) {
  Value* pitch = k_.int64(pitchOf(side_, lines_));
  return isTurned_ ? b_.CreateAdd(b_.CreateMul(i, pitch), line) : b_.CreateAdd(b_.CreateMul(line, pitch), i);
}

// 16 bytes in memory are 16 bytes of the tile, and are read as they are.
bool TensorTile::isCopied() const {
  const int64_t width = kVectorBytes / elementStorageBytes(type_);
  return elements_.leafOf(*side_.operand) && side_.isDense(isTurned_ ? side_.free : side_.summed, width);
}

void TensorTile::fill(Value* number, Value* batch, Value* firstLine, Value* firstSummed) {
  Value* base = baseOf(number);
  if (isCopied()) return copy(base, batch, firstLine, firstSummed);
  ScalarEmitter& s = k_.scalars();
  DotTile(elements_, block_, side_, lines_, depthOf(type_))
      .fill(batch, firstLine, firstSummed, [&](Value* line, Value* i, const Scalar& element, Value* isIn) {
        Value* bits = s.toStorage(type_, element);
        Value* zero = llvm::Constant::getNullValue(bits->getType());
        block_.store(tiles_, b_.CreateAdd(base, placeOf(line, i)), b_.CreateSelect(isIn, bits, zero));
      });
}

// By the unit that copies beside the threads. Outside of the operand nothing is read, and zeros are written.
void TensorTile::copy(Value* base, Value* batch, Value* firstLine, Value* firstSummed) {
  const ElementEmitter::Leaf leaf = *elements_.leafOf(*side_.operand);
  const int64_t width = kVectorBytes / elementStorageBytes(type_), depth = depthOf(type_);
  const int64_t quickCount = (isTurned_ ? lines_ : depth) / width, count = lines_ * depth / width;
  const int64_t lines = side_.count(side_.free), sum = side_.count(side_.summed);
  for (int64_t first = 0; first < count; first += kBlockThreads) {
    Value* own = b_.CreateAdd(block_.thread(), k_.int64(first));
    Value* quick = b_.CreateMul(b_.CreateURem(own, k_.int64(quickCount)), k_.int64(width));
    Value* slow = b_.CreateUDiv(own, k_.int64(quickCount));
    Value *line = isTurned_ ? quick : slow, *i = isTurned_ ? slow : quick;
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
    Value* to = b_.CreateInBoundsGEP(tiles_.type, tiles_.array, {b_.CreateAdd(base, placeOf(line, i))});
    Value* bytes = b_.CreateSelect(isIn, b_.getInt32(kVectorBytes), b_.getInt32(0));
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s, {to, from, bytes});
  }
}

llvm::SmallVector<Value*, 4> TensorTile::load(Value* number, Value* line, int64_t step, bool isLeft) {
  Value* lane = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
  if (type_ == ElementType::F64) return loadDoubles(number, line, step, lane, isLeft);
  const auto bit = [&](int64_t b) { return b_.CreateAnd(b_.CreateLShr(lane, k_.int64(b)), k_.int64(1)); };
  // The 8 rows of each of four matrices, 8 lines by 16 bytes, are named by 8 lanes. Of the left side the
  // second matrix is 8 lines on, of the right side 16 bytes.
  const int64_t half = kStepBytes / 2 / elementStorageBytes(type_), start = step * 2 * half;
  Value* inRow = b_.CreateAnd(lane, k_.int64(7));
  Value *otherLines = bit(isLeft ? 3 : 4), *otherHalf = bit(isLeft ? 4 : 3);
  Value* i = b_.CreateAdd(k_.int64(start), b_.CreateMul(otherHalf, k_.int64(half)));
  Value* at = b_.CreateAdd(line, b_.CreateMul(otherLines, k_.int64(8)));
  isTurned_ ? i = b_.CreateAdd(i, inRow) : at = b_.CreateAdd(at, inRow);
  Value* from =
      b_.CreateInBoundsGEP(tiles_.type, tiles_.array, {b_.CreateAdd(baseOf(number), placeOf(at, i))});
  Value* loaded = b_.CreateIntrinsic(isTurned_ ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                               : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
                                     {from->getType()}, {from});
  llvm::SmallVector<Value*, 4> registers;
  for (unsigned r = 0; r < 4; ++r) registers.push_back(b_.CreateExtractValue(loaded, r));
  return registers;
}

// Of each 8 lines the element of the lane: four lanes a line. A pair of registers is of 16 lines, which the
// left side takes as two and the right side as one for each 8 columns.
llvm::SmallVector<Value*, 4> TensorTile::loadDoubles(Value* number, Value* line, int64_t step, Value* lane,
                                                     bool isLeft) {
  Value* i = b_.CreateAdd(k_.int64(step * kStepBytes / 8), b_.CreateURem(lane, k_.int64(4)));
  llvm::SmallVector<Value*, 4> registers;
  for (int64_t half = 0; half < 2; ++half) {
    Value* at = b_.CreateAdd(b_.CreateAdd(line, k_.int64(8 * half)), b_.CreateUDiv(lane, k_.int64(4)));
    registers.append(isLeft ? 1 : 2, block_.load(tiles_, b_.CreateAdd(baseOf(number), placeOf(at, i))));
  }
  return registers;
}

void TensorTile::commitCopies(llvm::IRBuilder<>& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void TensorTile::waitForCopies(llvm::IRBuilder<>& b, uint32_t left) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {b.getInt32(left)});
}

}  // namespace hilo::gpu
