#include "core/analysis/physical_layout.h"

#include <algorithm>

#include "core/analysis/saturating.h"

namespace hilo {
namespace {

// One level of tiling: the last dimensions become counts of tiles, and the tile's own sizes follow.
std::vector<int64_t> tiled(const std::vector<int64_t>& sizes, const std::vector<int64_t>& tile) {
  std::vector<int64_t> out = sizes;
  const size_t first = sizes.size() - tile.size();
  for (size_t k = 0; k < tile.size(); ++k)
    out[first + k] = sizes[first + k] / tile[k] + (sizes[first + k] % tile[k] != 0);
  out.insert(out.end(), tile.begin(), tile.end());
  return out;
}

bool isFollowable(const Layout& layout, Shape shape) {
  const auto dense = [](const DimLevel& level) { return level.type == DimLevelType::Dense; };
  if (layout.minorToMajor.size() != shape.rank() || !layout.splitConfigs.empty() ||
      shape.hasUnboundedDimension())
    return false;
  if (!std::ranges::all_of(layout.dimLevels, dense)) return false;
  std::vector<bool> seen(shape.rank(), false);
  for (const int64_t d : layout.minorToMajor) {
    if (d < 0 || d >= static_cast<int64_t>(shape.rank()) || seen[static_cast<size_t>(d)]) return false;
    seen[static_cast<size_t>(d)] = true;
  }
  return true;
}

}  // namespace

std::optional<PhysicalLayout> physicalLayout(Shape shape) {
  if (!shape.isArray() || shape.layout() == nullptr || !isFollowable(*shape.layout(), shape))
    return std::nullopt;
  PhysicalLayout out;
  const Layout& layout = *shape.layout();
  out.majorToMinor.assign(layout.minorToMajor.rbegin(), layout.minorToMajor.rend());
  for (const int64_t d : out.majorToMinor) out.sizes.push_back(shape.dimension(static_cast<size_t>(d)));
  out.bounds = out.sizes;
  for (const Tile& tile : layout.tiles) {
    if (tile.dimensions.size() > out.bounds.size()) return std::nullopt;
    if (std::ranges::any_of(tile.dimensions, [](int64_t size) { return size <= 0; })) return std::nullopt;
    out.tiles.push_back(tile.dimensions);
    out.bounds = tiled(out.bounds, tile.dimensions);
  }
  out.paddedElements = 1;
  for (const int64_t bound : out.bounds) out.paddedElements = saturatingMultiply(out.paddedElements, bound);
  return out;
}

int64_t PhysicalLayout::positionOf(std::span<const int64_t> index) const {
  std::vector<int64_t> at;
  for (const int64_t d : majorToMinor) at.push_back(index[static_cast<size_t>(d)]);
  for (const std::vector<int64_t>& tile : tiles) {
    const size_t first = at.size() - tile.size();
    for (size_t k = 0; k < tile.size(); ++k) {
      at.push_back(at[first + k] % tile[k]);
      at[first + k] /= tile[k];
    }
  }
  int64_t position = 0;
  for (size_t k = 0; k < at.size(); ++k)
    position = saturatingAdd(saturatingMultiply(position, bounds[k]), at[k]);
  return position;
}

}  // namespace hilo
