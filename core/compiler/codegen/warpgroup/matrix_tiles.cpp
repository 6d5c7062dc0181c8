#include "core/compiler/codegen/warpgroup/matrix_tiles.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::warpgroup {

using inference::NestedDimension;
using llvm::Value;

namespace {

constexpr int64_t kTileRows = 8;

bool isTile(const NestedDimension& rows, const NestedDimension& along, int64_t length) {
  return along.back() == inference::StridedSize{length, 1} &&
         rows.back() == inference::StridedSize{kTileRows, length};
}

int64_t outerStride(const NestedDimension& dimension, int64_t ifNone) {
  return dimension.size() > 1 ? dimension.front().stride : ifNone;
}

uint64_t swizzleNumber(int64_t bytes) { return bytes == 128 ? 1 : bytes == 64 ? 2 : 3; }

}  // namespace

Result<MatrixTiles> tilesOf(KernelLowering& lowering, OpId op, const MemoryView& view, size_t freeDimension,
                            std::initializer_list<int64_t> turnedBytes) {
  const KernelOp& one = lowering.op(op);
  if (view.rank() != 2 || view.swizzleBytes < 32) return refuse(one, "a matrix without a swizzle");
  const NestedDimension& free = view.dimensions[freeDimension];
  const NestedDimension& summed = view.dimensions[1 - freeDimension];
  if (free.size() > 2 || summed.size() > 2) return refuse(one, "a matrix that is cut more than once");
  const int64_t bytes = view.elementBytes, length = view.swizzleBytes / bytes;
  MatrixTiles tiles{.isTurned = !isTile(free, summed, length), .elementBytes = bytes};
  if (tiles.isTurned && !isTile(summed, free, length))
    return refuse(one, "tiles other than 8 rows as long as the swizzle");
  if (tiles.isTurned && std::ranges::find(turnedBytes, bytes) == turnedBytes.end())
    return refuse(one, fmt::format("elements of {} bytes that do not lie side by side along the sum", bytes));
  const int64_t tile = kTileRows * length;
  tiles.freeElements = tiles.isTurned ? length : kTileRows;
  tiles.summedElements = tiles.isTurned ? kTileRows : length;
  tiles.freeStep = outerStride(free, tile) * bytes;
  tiles.summedStep = outerStride(summed, tile) * bytes;
  const auto leading = static_cast<uint64_t>(tiles.isTurned ? tiles.freeStep : 16);
  const auto stride = static_cast<uint64_t>(tiles.isTurned ? tiles.summedStep : tiles.freeStep);
  tiles.fixed = leading / 16 << 16 | stride / 16 << 32 | swizzleNumber(view.swizzleBytes) << 62;
  const std::vector<Value*> first(2, lowering.code().int64(0));
  tiles.start =
      lowering.b().CreatePtrToInt(addressOf(lowering.code(), view, first), lowering.b().getInt64Ty());
  return tiles;
}

Value* descriptor(KernelLowering& lowering, const MatrixTiles& tiles, int64_t free, int64_t summed) {
  llvm::IRBuilder<>& b = lowering.b();
  const int64_t inTile = tiles.isTurned ? 0 : summed % tiles.summedElements * tiles.elementBytes;
  const int64_t before =
      free / tiles.freeElements * tiles.freeStep + summed / tiles.summedElements * tiles.summedStep + inTile;
  Value* at = b.CreateAdd(tiles.start, lowering.code().int64(before));
  Value* encoded = b.CreateAnd(b.CreateLShr(at, 4), lowering.code().int64(0x3fff));
  return b.CreateOr(encoded, b.getInt64(tiles.fixed));
}

}  // namespace hilo::warpgroup
