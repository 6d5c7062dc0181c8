#include <algorithm>
#include <optional>

#include "core/analysis/kernel_layouts/inference/lane_accesses.h"
#include "core/analysis/kernel_layouts/inference/memory_moves.h"

namespace hilo::inference {
namespace {

// The array in memory, cut as the registers' layout cuts it. Dimensions are numbered from the end.
struct Pieces {
  const TiledLayout& layout;
  std::vector<NestedDimension> dimensions;
  int64_t elementBits;
  int64_t swizzleBytes;

  const NestedDimension& at(int64_t fromEnd) const { return dimensions[dimensions.size() + fromEnd]; }
  int64_t countAt(int64_t fromEnd) const {
    int64_t count = 1;
    for (const StridedSize& piece : at(fromEnd)) count *= piece.size;
    return count;
  }
};

bool isAmong(const std::vector<ThreadDimension>& dims, int64_t dimension) {
  return std::ranges::any_of(
      dims, [&](const ThreadDimension& dim) { return !dim.isCopies() && dim.dimension == dimension; });
}

std::vector<StridedSize> threads(const Pieces& pieces, const std::vector<ThreadDimension>& dims) {
  std::vector<StridedSize> all;
  for (const ThreadDimension& dim : dims) {
    if (dim.isCopies())
      all.push_back({dim.times, 0});
    else
      all.insert(all.end(), pieces.at(dim.dimension).begin(), pieces.at(dim.dimension).end());
  }
  return all;
}

bool isOfThreads(const TiledLayout& layout, int64_t dimension) {
  return isAmong(layout.warpDims, dimension) || isAmong(layout.laneDims, dimension) ||
         dimension == layout.vectorDim;
}

// Dimensions that neither threads nor the vector take, without `besides`.
std::vector<StridedSize> registerPieces(const Pieces& pieces, int64_t besides = 0) {
  std::vector<StridedSize> all;
  const auto rank = static_cast<int64_t>(pieces.dimensions.size());
  for (int64_t d = -rank; d < 0; ++d)
    if (d != besides && !isOfThreads(pieces.layout, d))
      all.insert(all.end(), pieces.at(d).begin(), pieces.at(d).end());
  return all;
}

// The vector's elements are neighbours, and every vector begins at a multiple of its length.
bool hasVectorsAlong(const Pieces& pieces, int64_t vectorDim) {
  const int64_t length = pieces.layout.vectorLength();
  const auto rank = static_cast<int64_t>(pieces.dimensions.size());
  for (int64_t d = -rank; d < 0; ++d) {
    if (d == vectorDim) continue;
    for (const StridedSize& piece : pieces.at(d))
      if (piece.size != 1 && piece.stride % length != 0) return false;
  }
  const NestedDimension& vector = pieces.at(vectorDim);
  return vector.size() == 1 && vector.front().stride == 1;
}

bool isMovedByThreads(const Pieces& pieces, bool isOptimized) {
  const TiledLayout& layout = pieces.layout;
  if (!hasVectorsAlong(pieces, layout.vectorDim)) return false;
  if (layout.vectorLength() * pieces.elementBits % 8 != 0) return false;
  if (!isOptimized) return true;
  return planAccesses({.lanes = threads(pieces, layout.laneDims),
                       .warps = threads(pieces, layout.warpDims),
                       .registers = registerPieces(pieces),
                       .vectorLength = layout.vectorLength(),
                       .elementBits = pieces.elementBits,
                       .swizzleBytes = pieces.swizzleBytes})
      .has_value();
}

// Of bytes two matrices of 8x16 go at once: the dimension that numbers them, next to the rows in memory.
std::optional<int64_t> pairDimension(const Pieces& pieces) {
  const auto rank = static_cast<int64_t>(pieces.dimensions.size());
  for (int64_t d = -rank; d < 0; ++d) {
    const StridedSize& inner = pieces.at(d).back();
    if (!isOfThreads(pieces.layout, d) && inner.stride == 8 && inner.size % 2 == 0) return d;
  }
  return std::nullopt;
}

// Of 16 bits: a lane holds two rows of one column, which are neighbours in memory.
LaneAccesses transposedHalves(const Pieces& pieces) {
  const TiledLayout& layout = pieces.layout;
  std::vector<StridedSize> lanes = pieces.at(layout.laneDims.back().dimension);
  lanes.insert(lanes.end(), pieces.at(layout.vectorDim).begin(), pieces.at(layout.vectorDim).end());
  lanes.push_back({4, 2});
  return {.lanes = std::move(lanes),
          .warps = threads(pieces, layout.warpDims),
          .registers = registerPieces(pieces),
          .vectorLength = 2,
          .elementBits = 16,
          .swizzleBytes = pieces.swizzleBytes};
}

// Of bytes: a lane holds four rows of one column; of 16x16 bytes the halves go one after the other.
std::optional<LaneAccesses> transposedBytes(const Pieces& pieces) {
  const TiledLayout& layout = pieces.layout;
  const auto pair = pairDimension(pieces);
  const int64_t rows = layout.laneDims.front().dimension, columns = layout.laneDims.back().dimension;
  if (!pair || *pair >= rows || rows >= columns) return std::nullopt;
  const NestedDimension& column = pieces.at(columns);
  const bool isOnePiece = column.size() == 1;
  const StridedSize low{2, column.back().stride};
  const StridedSize high{2, isOnePiece ? 2 * column.back().stride : column.front().stride};
  std::vector<StridedSize> registers = registerPieces(pieces, *pair);
  NestedDimension pairs = pieces.at(*pair);
  pairs.back() = {pairs.back().size / 2, 16};
  registers.insert(registers.end(), pairs.begin(), pairs.end());
  registers.push_back(high);
  std::vector<StridedSize> lanes{low};
  lanes.insert(lanes.end(), pieces.at(layout.vectorDim).begin(), pieces.at(layout.vectorDim).end());
  lanes.push_back({2, 8});
  lanes.push_back({2, 4});
  return LaneAccesses{.lanes = std::move(lanes),
                      .warps = threads(pieces, layout.warpDims),
                      .registers = std::move(registers),
                      .vectorLength = 4,
                      .elementBits = 8,
                      .swizzleBytes = pieces.swizzleBytes};
}

// Lanes are 8x4, rows lie side by side in memory: ldmatrix and stmatrix transpose on the way.
bool hasTransposedMatrices(const Pieces& pieces) {
  const TiledLayout& layout = pieces.layout;
  if (pieces.elementBits * layout.vectorLength() != 32 || layout.laneDims.size() != 2) return false;
  const ThreadDimension rows = layout.laneDims.front(), columns = layout.laneDims.back();
  if (rows.isCopies() || columns.isCopies() || pieces.countAt(columns.dimension) % 4 != 0) return false;
  const StridedSize inner = pieces.at(columns.dimension).back();
  if (inner.size % 4 == 0 && inner.stride == layout.vectorLength()) return false;  // not transposed
  return pieces.at(rows.dimension) == NestedDimension{{8, 1}};
}

bool isMovedByMatrices(const Pieces& pieces, bool isOptimized, int64_t smMajor) {
  const bool areBytes = pieces.elementBits == 8;
  if ((!areBytes && pieces.elementBits != 16) || (areBytes && smMajor < 10)) return false;
  if (!hasTransposedMatrices(pieces) || !hasVectorsAlong(pieces, pieces.layout.laneDims.front().dimension))
    return false;
  if (areBytes && !pairDimension(pieces)) return false;
  if (!isOptimized) return true;
  const auto accesses = areBytes ? transposedBytes(pieces) : transposedHalves(pieces);
  if (!accesses) return false;
  const auto plan = planAccesses(*accesses);
  return plan && plan->stagger == 0;
}

}  // namespace

bool canMoveShared(const SharedArray& array, const SharedTransforms& transforms,
                   const RegisterLayout& registers, MoveKind kind, int64_t smMajor) {
  const auto* layout = std::get_if<TiledLayout>(&registers);
  if (!layout) return transforms == SharedTransforms{};
  const bool isUntiled = transforms.tile.empty();
  const bool isOptimized = kind == MoveKind::Optimized || (kind == MoveKind::Downgradable && !isUntiled);
  const auto memory = tiledMemory(array.shape, array.strides, isUntiled ? array.shape : transforms.tile);
  if (!memory) return false;
  auto dimensions = tiled(layout->tiling, *memory);
  if (!dimensions) return false;
  const Pieces pieces{*layout, *std::move(dimensions), array.elementBits,
                      transforms.swizzleBytes == 0 ? 16 : transforms.swizzleBytes};
  return isMovedByMatrices(pieces, isOptimized, smMajor) || isMovedByThreads(pieces, isOptimized);
}

}  // namespace hilo::inference
