#include "core/compiler/codegen/gpu/warpgroup_tile.h"

#include "core/compiler/codegen/gpu/vectors.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kRowBytes = 64, kRowsAtOnce = 8;
constexpr uint64_t kSwizzleOf64 = 2;

}  // namespace

WarpgroupTile::WarpgroupTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines)
    : TensorTile(elements, block, side, lines,
                 {.elements = lines * depthOf(side.shape().elementType()),
                  .stages = kStages,
                  .alignment = kRowBytes * kRowsAtOnce}) {}

// Rows of 64 bytes: a line each, or, where it is turned, 32 lines of one place of the sum, those of the next
// 32 lines behind all places.
Value* WarpgroupTile::placeOf(Value* line, Value* i) {
  const int64_t row = kRowBytes / elementStorageBytes(type_),
                piece = kVectorBytes / elementStorageBytes(type_);
  Value *along = turns() ? line : i, *across = turns() ? i : line;
  Value* chunk = b_.CreateUDiv(along, k_.int64(row));
  Value* first = b_.CreateMul(chunk, k_.int64(turns() ? row * depthOf(type_) : 0));
  Value* inRow = b_.CreateURem(along, k_.int64(row));
  // The piece's number by bits 1 and 2 of the row's.
  Value* swap = b_.CreateAnd(b_.CreateLShr(across, k_.int64(1)), k_.int64(3));
  Value* swapped = b_.CreateXor(inRow, b_.CreateMul(swap, k_.int64(piece)));
  return b_.CreateAdd(b_.CreateAdd(first, b_.CreateMul(across, k_.int64(row))), swapped);
}

Value* WarpgroupTile::descriptor(Value* stage, Value* line, int64_t step) {
  // Rows whose number is a multiple of 8 have their pieces in order.
  const int64_t stepElements = step * kStepBytes / elementStorageBytes(type_);
  Value* at =
      b_.CreatePtrToInt(addressOf(stage, line, k_.int64(turns() ? stepElements : 0)), b_.getInt64Ty());
  if (!turns()) at = b_.CreateAdd(at, k_.int64(step * kStepBytes));
  Value* start = b_.CreateAnd(b_.CreateLShr(at, k_.int64(4)), k_.int64(0x3fff));
  const auto leading = static_cast<uint64_t>(turns() ? kRowBytes * depthOf(type_) : 16);
  constexpr uint64_t kStride = kRowBytes * kRowsAtOnce;
  return b_.CreateOr(start, b_.getInt64(leading / 16 << 16 | kStride / 16 << 32 | kSwizzleOf64 << 62));
}

}  // namespace hilo::gpu
