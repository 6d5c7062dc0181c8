#include "core/analysis/tiling/tile_region.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/analysis/tiling/first_array.h"
#include "core/base/check.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

int64_t tilesOf(const VariableTile& v) { return v.size == 0 ? 0 : (v.size - 1) / v.tile + 1; }

// The values of an expression that is linear between the first and the last step of what is folded.
struct Ends {
  std::vector<int64_t> first;                     // index of each variable
  std::vector<std::pair<size_t, int64_t>> folds;  // variable, first index of its last tile
};

Ends endsOf(const TilingSpace& space, const FusionTiling& tiling, std::span<const int64_t> tile) {
  Ends ends;
  size_t next = 0;
  for (size_t i = 0; i < tiling.variables.size(); ++i) {
    const VariableTile& v = tiling.variables[i];
    const IndexVariable& index = space.variables[i].index;
    ends.first.push_back(index.kind == Kind::Dimension ? tile[next++] * v.tile : index.range.lower);
    if (index.kind == Kind::Symbol && tilesOf(v) > 1) ends.folds.emplace_back(i, (tilesOf(v) - 1) * v.tile);
  }
  return ends;
}

RegionDimension alongOne(const TileDimension& dimension, int64_t size, const Ends& ends) {
  const int64_t first = dimension.offset.evaluate(ends.first);
  RegionDimension out{.size = size, .first = first, .count = dimension.size, .stride = dimension.stride};
  int64_t low = first, high = first;
  for (const auto& [variable, last] : ends.folds) {
    if (!dimension.offset.uses(variable)) continue;
    std::vector<int64_t> at = ends.first;
    at[variable] = last;
    const int64_t moved = dimension.offset.evaluate(at) - first;
    low += std::min<int64_t>(moved, 0);
    high += std::max<int64_t>(moved, 0);
  }
  out.sweptLow = low + std::min<int64_t>(out.last() - first, 0);
  out.sweptHigh = high + std::max<int64_t>(out.last() - first, 0);
  return out;
}

}  // namespace

int64_t RegionDimension::inside() const {
  if (stride == 0) return first >= 0 && first < size ? 1 : 0;
  const int64_t step = std::abs(stride), from = low();
  const int64_t before = from >= 0 ? 0 : (-from + step - 1) / step;
  const int64_t fits = from >= size ? 0 : (size - 1 - from) / step + 1;
  return std::max<int64_t>(0, std::min(count, fits) - before);
}

int64_t TileRegion::elements() const {
  int64_t count = 1;
  for (const RegionDimension& d : dimensions) count = saturatingMultiply(count, d.count);
  return count;
}

int64_t TileRegion::inside() const {
  int64_t count = 1;
  for (const RegionDimension& d : dimensions) count = saturatingMultiply(count, d.inside());
  return count;
}

std::vector<int64_t> tileCounts(const TilingSpace& space, const FusionTiling& tiling) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < tiling.variables.size(); ++i) {
    if (space.variables[i].index.kind == Kind::Dimension) counts.push_back(tilesOf(tiling.variables[i]));
  }
  return counts;
}

namespace {

TileRegion regionAt(const TilingSpace& space, const FusionTiling& tiling, size_t number, const Ends& ends) {
  const TiledInstruction& tiled = space.instructions[number];
  const Shape shape = firstArray(tiled.instruction->shape());
  TileRegion region{.isRead = tiled.isRead(ends.first)};
  for (const AffineExpression& device : tiling.tiles[number].devices)
    region.devices.push_back(device.evaluate(ends.first));
  for (size_t d = 0; d < tiling.tiles[number].dimensions.size(); ++d) {
    const TileDimension& dimension = tiling.tiles[number].dimensions[d];
    region.dimensions.push_back(alongOne(dimension, shape.dimension(d), ends));
    for (size_t v = 0; v < space.variables.size(); ++v) {
      if (space.variables[v].index.kind == Kind::Runtime && dimension.offset.uses(v))
        region.isPlaceKnown = false;
    }
  }
  return region;
}

}  // namespace

std::vector<TileRegion> regionsOf(const TilingSpace& space, const FusionTiling& tiling,
                                  std::span<const int64_t> tile) {
  CHECK(tile.size() == tileCounts(space, tiling).size());
  const Ends ends = endsOf(space, tiling, tile);
  std::vector<TileRegion> regions;
  for (size_t i = 0; i < space.instructions.size(); ++i) regions.push_back(regionAt(space, tiling, i, ends));
  return regions;
}

TileRegion regionOf(const TilingSpace& space, const FusionTiling& tiling, size_t instruction,
                    std::span<const int64_t> tile) {
  return regionAt(space, tiling, instruction, endsOf(space, tiling, tile));
}

}  // namespace hilo
