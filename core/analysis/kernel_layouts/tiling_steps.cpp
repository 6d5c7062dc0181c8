#include "core/analysis/kernel_layouts/tiling_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/analysis/saturating.h"

namespace hilo {
namespace {

Sizes tail(const Sizes& sizes, size_t count) { return {sizes.end() - count, sizes.end()}; }

}  // namespace

TilingSteps TilingSteps::canonical() const {
  TilingSteps result;
  for (const Sizes& tile : tiles) {
    if (result.tiles.empty()) {
      result.tiles.push_back(tile);
      continue;
    }
    auto first = std::ranges::find_if(tile, [](int64_t size) { return size != 1; });
    if (first == tile.end()) --first;
    Sizes kept(first, tile.end());
    const Sizes& before = result.tiles.back();
    if (tail(before, kept.size()) != kept) result.tiles.push_back(std::move(kept));
  }
  return result;
}

Result<Sizes> TilingSteps::tiledShape(const Sizes& shape) const {
  Sizes sizes = shape;
  for (const Sizes& tile : tiles) {
    const bool hasRank = tile.size() <= sizes.size();
    bool divides = hasRank;
    const size_t first = hasRank ? sizes.size() - tile.size() : 0;
    for (size_t i = 0; divides && i < tile.size(); ++i) divides = sizes[first + i] % tile[i] == 0;
    if (!divides)
      return fail(
          "kernel-tiling",
          fmt::format("the tile {} does not fit the sizes {}", tupleText(tile), tupleText(sizes)), {},
          {fmt::format("the shape is {}; each of its last dimensions must be a multiple of the first tile",
                       tupleText(shape))});
    for (size_t i = 0; i < tile.size(); ++i) sizes[first + i] /= tile[i];
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  return sizes;
}

Sizes TilingSteps::tiled(Sizes index) const {
  for (const Sizes& tile : tiles) {
    const size_t first = index.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      const int64_t at = index[first + i];
      index[first + i] = at / tile[i];
      index.push_back(at % tile[i]);
    }
  }
  return index;
}

Sizes TilingSteps::untiled(Sizes index) const {
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
    const size_t rank = tile->size();
    const Sizes inner = tail(index, rank);
    index.resize(index.size() - rank);
    for (size_t i = 0; i < rank; ++i) {
      int64_t& outer = index[index.size() - rank + i];
      outer = outer * (*tile)[i] + inner[i];
    }
  }
  return index;
}

Status checkTiling(const TilingSteps& tiling) {
  if (tiling.tiles.empty()) return fail("kernel-tiling", "a tiled layout has at least one tile");
  const Sizes* before = nullptr;
  for (const Sizes& tile : tiling.tiles) {
    if (tile.empty()) return fail("kernel-tiling", "a tile has at least one dimension");
    if (std::ranges::any_of(tile, [](int64_t size) { return size <= 0; }))
      return fail("kernel-tiling",
                  fmt::format("the tile {} has a size that is not positive", tupleText(tile)));
    if (before && tile.size() > before->size())
      return fail("kernel-tiling", fmt::format("the tile {} has more dimensions than {} before it",
                                               tupleText(tile), tupleText(*before)));
    before = &tile;
  }
  TRY_STATUS(tiling.tiledShape(tiling.tiles.front()));
  return {};
}

int64_t elementCount(const Sizes& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count = saturatingMultiply(count, size);
  return count;
}

int64_t linearIndex(const Sizes& index, const Sizes& sizes) {
  int64_t position = 0;
  for (size_t i = 0; i < sizes.size(); ++i) position = position * sizes[i] + index[i];
  return position;
}

Sizes indexAt(int64_t position, const Sizes& sizes) {
  Sizes index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; position /= sizes[i]) index[i] = position % sizes[i];
  return index;
}

std::string tupleText(const Sizes& sizes) {
  return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

}  // namespace hilo
