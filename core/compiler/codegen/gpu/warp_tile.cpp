#include "core/compiler/codegen/gpu/warp_tile.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kPadBytes = 16;  // so that the 8 rows of a matrix meet in no bank

int64_t pitchOf(const DotSide& side, int64_t minor) {
  return minor + kPadBytes / elementStorageBytes(side.shape().elementType());
}

int64_t elementsOf(const DotSide& side, int64_t lines, bool isTurned) {
  const int64_t depth = TensorTile::depthOf(side.shape().elementType());
  return isTurned ? depth * pitchOf(side, lines) : lines * pitchOf(side, depth);
}

}  // namespace

WarpTile::WarpTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines)
    : TensorTile(elements, block, side, lines,
                 {.elements = elementsOf(side, lines, isTurned(side)), .stages = kStages, .alignment = 16}) {}

Value* WarpTile::placeOf(Value* line, Value* i) {
  const bool turned = isTurned(side_);
  Value* pitch = k_.int64(pitchOf(side_, turned ? lines_ : depthOf(type_)));
  return turned ? b_.CreateAdd(b_.CreateMul(i, pitch), line) : b_.CreateAdd(b_.CreateMul(line, pitch), i);
}

llvm::SmallVector<Value*, 4> WarpTile::load(Value* stage, Value* line, int64_t step, bool isLeft) {
  Value* lane = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
  if (type_ == ElementType::F64) return loadDoubles(stage, line, step, lane, isLeft);
  const bool turned = isTurned(side_);
  const auto bit = [&](int64_t b) { return b_.CreateAnd(b_.CreateLShr(lane, k_.int64(b)), k_.int64(1)); };
  // The 8 rows of each of four matrices, 8 lines by 16 bytes, are named by 8 lanes. Of the left side the
  // second matrix is 8 lines on, of the right side 16 bytes.
  const int64_t half = kStepBytes / 2 / elementStorageBytes(type_), start = step * 2 * half;
  Value* inRow = b_.CreateAnd(lane, k_.int64(7));
  Value *otherLines = bit(isLeft ? 3 : 4), *otherHalf = bit(isLeft ? 4 : 3);
  Value* i = b_.CreateAdd(k_.int64(start), b_.CreateMul(otherHalf, k_.int64(half)));
  Value* at = b_.CreateAdd(line, b_.CreateMul(otherLines, k_.int64(8)));
  turned ? i = b_.CreateAdd(i, inRow) : at = b_.CreateAdd(at, inRow);
  Value* from = addressOf(stage, at, i);
  Value* loaded = b_.CreateIntrinsic(turned ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                            : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
                                     {from->getType()}, {from});
  llvm::SmallVector<Value*, 4> registers;
  for (unsigned r = 0; r < 4; ++r) registers.push_back(b_.CreateExtractValue(loaded, r));
  return registers;
}

// Of each 8 lines the element of the lane: four lanes a line. A pair of registers is of 16 lines, which the
// left side takes as two and the right side as one for each 8 columns.
llvm::SmallVector<Value*, 4> WarpTile::loadDoubles(Value* stage, Value* line, int64_t step, Value* lane,
                                                   bool isLeft) {
  Value* i = b_.CreateAdd(k_.int64(step * kStepBytes / 8), b_.CreateURem(lane, k_.int64(4)));
  llvm::SmallVector<Value*, 4> registers;
  for (int64_t half = 0; half < 2; ++half) {
    Value* at = b_.CreateAdd(b_.CreateAdd(line, k_.int64(8 * half)), b_.CreateUDiv(lane, k_.int64(4)));
    registers.append(isLeft ? 1 : 2, b_.CreateLoad(b_.getDoubleTy(), addressOf(stage, at, i)));
  }
  return registers;
}

}  // namespace hilo::gpu
