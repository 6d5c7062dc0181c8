#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/saturating.h"

namespace hilo::inference {
namespace {

struct TileStrides {
  Sizes outer, inner;
};

// Of the tiled dimensions alone, in their own order.
std::optional<TileStrides> tileStrides(const Sizes& strides, const Sizes& tile) {
  std::vector<size_t> order(tile.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(strides[a], tile[a]) < std::pair(strides[b], tile[b]);
  });
  TileStrides result{Sizes(tile.size()), Sizes(tile.size())};
  int64_t next = 1;
  for (size_t i : order) {
    result.inner[i] = next;
    next = saturatingMultiply(next, tile[i]);
  }
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    if (k > 0) {
      const int64_t before = saturatingMultiply(strides[order[k - 1]], tile[order[k - 1]]);
      if (before <= 0 || strides[i] < 0 || strides[i] % before != 0) return std::nullopt;
      next = saturatingMultiply(next, strides[i] / before);
    }
    result.outer[i] = next;
  }
  return result;
}

bool areSmallest(const Sizes& strides, size_t count) {
  Sizes sorted = strides;
  std::ranges::sort(sorted);
  const Sizes last(strides.end() - static_cast<int64_t>(count), strides.end());
  return std::ranges::all_of(last, [&](int64_t stride) { return stride <= sorted[count - 1]; });
}

NestedDimension orOne(NestedDimension reversed) {
  std::ranges::reverse(reversed);
  if (reversed.empty()) reversed.push_back({1, 1});
  return reversed;
}

struct Cut {
  NestedDimension outer, inner;
};

// The innermost `size` elements of a dimension, and the rest.
std::optional<Cut> cut(const NestedDimension& dimension, int64_t size) {
  Cut reversed;
  for (size_t i = dimension.size(); i-- > 0;) {
    const auto [length, stride] = dimension[i];
    if (length < size) {
      if (size % length != 0) return std::nullopt;
      reversed.inner.push_back({length, stride});
      size /= length;
    } else if (size != 1) {
      if (length % size != 0) return std::nullopt;
      reversed.inner.push_back({size, stride});
      if (length != size) reversed.outer.push_back({length / size, saturatingMultiply(stride, size)});
      size = 1;
    } else {
      reversed.outer.push_back({length, stride});
    }
  }
  if (size != 1) return std::nullopt;
  return Cut{orOne(std::move(reversed.outer)), orOne(std::move(reversed.inner))};
}

}  // namespace

std::optional<std::vector<NestedDimension>> tiledMemory(const Sizes& shape, const Sizes& strides,
                                                        const Sizes& tile) {
  if (tile.size() > shape.size() || shape.size() != strides.size() || tile.empty() ||
      !areSmallest(strides, tile.size()))
    return std::nullopt;
  const size_t untiled = shape.size() - tile.size();
  const auto tileStride = tileStrides({strides.begin() + static_cast<int64_t>(untiled), strides.end()}, tile);
  if (!tileStride) return std::nullopt;
  std::vector<NestedDimension> dimensions;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i < untiled) {
      dimensions.push_back({{shape[i], strides[i]}});
      continue;
    }
    const int64_t size = tile[i - untiled];
    if (size <= 0 || shape[i] <= 0 || shape[i] % size != 0) return std::nullopt;
    NestedDimension& dimension = dimensions.emplace_back();
    dimension.push_back({shape[i] / size, tileStride->outer[i - untiled]});
    if (size != 1) dimension.push_back({size, tileStride->inner[i - untiled]});
  }
  return dimensions;
}

std::optional<std::vector<NestedDimension>> tiled(const TilingSteps& tiling,
                                                  std::vector<NestedDimension> dimensions) {
  for (const Sizes& tile : tiling.tiles) {
    if (tile.size() > dimensions.size()) return std::nullopt;
    const size_t first = dimensions.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      auto pieces = cut(dimensions[first + i], tile[i]);
      if (!pieces) return std::nullopt;
      dimensions[first + i] = std::move(pieces->outer);
      dimensions.push_back(std::move(pieces->inner));
    }
  }
  return dimensions;
}

Sizes rowMajorStrides(const Sizes& shape) {
  Sizes strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = saturatingMultiply(strides[i], std::max<int64_t>(shape[i], 1));
  return strides;
}

}  // namespace hilo::inference
