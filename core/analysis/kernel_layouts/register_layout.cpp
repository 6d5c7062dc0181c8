#include "core/analysis/kernel_layouts/register_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/base/check.h"

namespace hilo {
namespace {

int64_t threadsOf(const TiledLayout& layout, const std::vector<ThreadDimension>& dims) {
  int64_t threads = 1;
  for (const ThreadDimension& dim : dims) threads = saturatingMultiply(threads, layout.sizeOf(dim));
  return threads;
}

// Where each of the old dimensions went, counted from the end; 0 for those that are gone.
Sizes keptDimensions(const Sizes& before, const Sizes& after) {
  Sizes places(before.size(), 0);
  size_t next = after.size();
  for (size_t i = before.size(); i-- > 0;) {
    if (next == 0 || before[i] != after[next - 1]) continue;
    --next;
    places[i] = static_cast<int64_t>(next) - static_cast<int64_t>(after.size());
  }
  CHECK(next == 0, "the canonical tiling has a dimension that the tiling has not");
  return places;
}

int64_t& at(Sizes& sizes, int64_t fromEnd) { return sizes[sizes.size() + fromEnd]; }

// A vector of one element whose dimension is gone takes the last dimension, made where none has size 1.
void giveVectorDimension(TiledLayout& layout) {
  layout.vectorDim = -1;
  if (layout.tileSizes().back() == 1) return;
  layout.tiling.tiles.push_back({1});
  for (auto* dims : {&layout.warpDims, &layout.laneDims})
    for (ThreadDimension& dim : *dims)
      if (!dim.isCopies()) --dim.dimension;
}

}  // namespace

Sizes TiledLayout::tileSizes() const {
  const Sizes& base = tiling.tiles.front();
  const Result<Sizes> sizes = tiling.tiledShape(base);
  CHECK(sizes.has_value(), "the tiling was not checked");
  return {sizes->begin() + base.size(), sizes->end()};
}

int64_t TiledLayout::sizeOf(const ThreadDimension& dim) const {
  Sizes sizes = tileSizes();
  return dim.isCopies() ? dim.times : at(sizes, dim.dimension);
}

int64_t TiledLayout::vectorLength() const { return sizeOf({.dimension = vectorDim}); }

Status checkLayout(const TiledLayout& layout) {
  TRY_STATUS(checkTiling(layout.tiling));
  const auto rank = static_cast<int64_t>(layout.tileSizes().size());
  std::vector<int64_t> named{layout.vectorDim};
  for (const auto* dims : {&layout.warpDims, &layout.laneDims}) {
    for (const ThreadDimension& dim : *dims) {
      if (!dim.isCopies()) named.push_back(dim.dimension);
    }
  }
  for (int64_t dimension : named) {
    if (dimension < -rank || dimension >= 0)
      return fail("kernel-layout",
                  fmt::format("dimension {} does not exist: the tiles make {} dimensions, -{} to -1",
                              dimension, rank, rank));
    if (std::ranges::count(named, dimension) > 1)
      return fail("kernel-layout", fmt::format("dimension {} is used twice", dimension));
  }
  const int64_t warps = threadsOf(layout, layout.warpDims);
  if (warps != kWarpsOfWarpgroup)
    return fail("kernel-layout",
                fmt::format("warp_dims make {} warps, a warpgroup has {}", warps, kWarpsOfWarpgroup));
  const int64_t lanes = threadsOf(layout, layout.laneDims);
  if (lanes != kLanesOfWarp)
    return fail("kernel-layout", fmt::format("lane_dims make {} lanes, a warp has {}", lanes, kLanesOfWarp));
  return {};
}

TiledLayout canonical(const TiledLayout& layout) {
  Sizes before = layout.tileSizes();
  TiledLayout result{.tiling = layout.tiling.canonical(), .warpDims = {}, .laneDims = {}};
  Sizes places = keptDimensions(before, result.tileSizes());
  const auto moved = [&](const std::vector<ThreadDimension>& dims) {
    std::vector<ThreadDimension> kept;
    for (const ThreadDimension& dim : dims) {
      if (dim.isCopies())
        kept.push_back(dim);
      else if (at(before, dim.dimension) != 1)
        kept.push_back({.dimension = at(places, dim.dimension)});
    }
    return kept;
  };
  result.warpDims = moved(layout.warpDims);
  result.laneDims = moved(layout.laneDims);
  result.vectorDim = at(places, layout.vectorDim);
  if (result.vectorDim == 0) giveVectorDimension(result);
  return result;
}

TiledLayout withoutDimension(const TiledLayout& layout, int64_t dim) {
  const Sizes& base = layout.tiling.tiles.front();
  CHECK(dim >= 0 && dim + 1 <= static_cast<int64_t>(base.size()) && base.size() > 1);
  TiledLayout result;
  std::vector<bool> isGone(base.size());  // of each dimension so far: whether it comes from `dim`
  isGone[dim] = true;
  for (const Sizes& tile : layout.tiling.tiles) {
    const size_t first = isGone.size() - tile.size();
    Sizes kept;
    for (size_t i = 0; i < tile.size(); ++i) {
      if (!isGone[first + i]) kept.push_back(tile[i]);
      isGone.push_back(isGone[first + i]);
    }
    if (!kept.empty()) result.tiling.tiles.push_back(std::move(kept));
  }
  isGone.erase(isGone.begin(), isGone.begin() + static_cast<int64_t>(base.size()));
  int64_t remaining = std::ranges::count(isGone, false);
  Sizes places;  // in the result, from its end; 0 for those that are gone
  for (bool gone : isGone) places.push_back(gone ? 0 : -remaining--);
  const auto moved = [&](const std::vector<ThreadDimension>& dims) {
    std::vector<ThreadDimension> kept;
    for (const ThreadDimension& old : dims) {
      const int64_t place = old.isCopies() ? 0 : at(places, old.dimension);
      kept.push_back(place != 0 ? ThreadDimension{.dimension = place}
                                : ThreadDimension{.times = layout.sizeOf(old)});
    }
    return kept;
  };
  result.warpDims = moved(layout.warpDims);
  result.laneDims = moved(layout.laneDims);
  result.vectorDim = at(places, layout.vectorDim);
  if (result.vectorDim == 0) giveVectorDimension(result);
  return canonical(result);
}

int64_t replication(const TiledLayout& layout) {
  int64_t copies = 1;
  for (const auto* dims : {&layout.warpDims, &layout.laneDims})
    for (const ThreadDimension& dim : *dims)
      if (dim.isCopies()) copies *= dim.times;
  return copies;
}

}  // namespace hilo
