#include "core/analysis/kernel_layouts/register_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;

int64_t& at(Sizes& sizes, int64_t fromEnd) { return sizes[sizes.size() + fromEnd]; }

// The numbers a warp or lane may have for these digits: one, times the copies.
std::vector<int64_t> numbersOf(const TiledLayout& layout, const std::vector<ThreadDimension>& dims,
                               Sizes& tiled) {
  std::vector<int64_t> numbers{0};
  for (const ThreadDimension& dim : dims) {
    std::vector<int64_t> longer;
    for (int64_t number : numbers) {
      if (!dim.isCopies()) longer.push_back(number * layout.sizeOf(dim) + at(tiled, dim.dimension));
      for (int64_t copy = 0; copy < dim.times; ++copy) longer.push_back(number * dim.times + copy);
    }
    numbers = std::move(longer);
  }
  std::ranges::sort(numbers);
  return numbers;
}

void putDigits(const TiledLayout& layout, const std::vector<ThreadDimension>& dims, int64_t number,
               Sizes& tiled) {
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    const int64_t size = layout.sizeOf(*dim);
    if (!dim->isCopies()) at(tiled, dim->dimension) = number % size;
    number /= size;
  }
}

Status checkShapeOf(const Sizes& ofLayout, const Sizes& shape) {
  if (ofLayout == shape) return {};
  return fail("kernel-layout",
              fmt::format("the layout is one of {}, the array is {}", tupleText(ofLayout), tupleText(shape)));
}

}  // namespace

Result<RegisterMap> RegisterMap::of(const RegisterLayout& layout, const Sizes& shape) {
  const bool isPositive = std::ranges::all_of(shape, [](int64_t size) { return size > 0; });
  if (!isPositive || elementCount(shape) > kMostElements)
    return fail("kernel-shape", fmt::format("{} has no elements, or more than 2^40", tupleText(shape)));
  RegisterMap map;
  map.layout_ = layout;
  map.shape_ = shape;
  if (const auto* tiled = std::get_if<TiledLayout>(&layout)) {
    TRY_STATUS(checkLayout(*tiled));
    TRY(map.registerSizes_, tiled->tiling.tiledShape(shape));
    for (const auto* dims : {&tiled->warpDims, &tiled->laneDims})
      for (const ThreadDimension& dim : *dims)
        if (!dim.isCopies()) at(map.registerSizes_, dim.dimension) = 1;
    at(map.registerSizes_, tiled->vectorDim) = 1;
    map.registers_ = elementCount(map.registerSizes_);
    map.vectorLength_ = tiled->vectorLength();
    map.copies_ = replication(*tiled);
  } else if (const auto* strided = std::get_if<StridedLayout>(&layout)) {
    TRY_STATUS(checkShapeOf(strided->shape, shape));
    const int64_t most = kMostElements / kThreadsOfWarpgroup;
    if (strided->vectorSize <= 0 || strided->vectorSize > most ||
        elementCount(shape) % (strided->vectorSize * kThreadsOfWarpgroup) != 0)
      return fail("kernel-layout",
                  fmt::format("{} elements cannot be dealt to {} threads {} at a time", elementCount(shape),
                              kThreadsOfWarpgroup, strided->vectorSize));
    map.vectorLength_ = strided->vectorSize;
    map.registers_ = elementCount(shape) / (strided->vectorSize * kThreadsOfWarpgroup);
  } else {
    TRY_STATUS(checkShapeOf(std::get<SplatLayout>(layout).shape, shape));
    map.copies_ = kThreadsOfWarpgroup;
  }
  return map;
}

std::vector<RegisterPlace> RegisterMap::placesOf(const Sizes& index) const {
  std::vector<RegisterPlace> places;
  if (const auto* layout = std::get_if<TiledLayout>(&layout_)) {
    Sizes tiled = layout->tiling.tiled(index);
    const std::vector<int64_t> warps = numbersOf(*layout, layout->warpDims, tiled);
    const std::vector<int64_t> lanes = numbersOf(*layout, layout->laneDims, tiled);
    const int64_t slot = at(tiled, layout->vectorDim);
    for (size_t i = 0; i < tiled.size(); ++i)
      if (registerSizes_[i] == 1) tiled[i] = 0;
    const int64_t reg = linearIndex(tiled, registerSizes_);
    for (int64_t warp : warps)
      for (int64_t lane : lanes) places.push_back({warp, lane, reg, slot});
  } else if (std::holds_alternative<StridedLayout>(layout_)) {
    const int64_t position = linearIndex(index, shape_);
    const int64_t thread = position / vectorLength_ % kThreadsOfWarpgroup;
    places.push_back({thread / kLanesOfWarp, thread % kLanesOfWarp,
                      position / (vectorLength_ * kThreadsOfWarpgroup), position % vectorLength_});
  } else {
    for (int64_t thread = 0; thread < kThreadsOfWarpgroup; ++thread)
      places.push_back({thread / kLanesOfWarp, thread % kLanesOfWarp, 0, 0});
  }
  return places;
}

Sizes RegisterMap::tiledIndexAt(const TiledLayout& layout, const RegisterPlace& place) const {
  Sizes tiled = indexAt(place.reg, registerSizes_);
  putDigits(layout, layout.warpDims, place.warp, tiled);
  putDigits(layout, layout.laneDims, place.lane, tiled);
  at(tiled, layout.vectorDim) = place.slot;
  return tiled;
}

std::optional<Sizes> RegisterMap::elementAt(const RegisterPlace& place) const {
  CHECK(place.reg >= 0 && place.reg < registers_ && place.slot >= 0 && place.slot < vectorLength_);
  if (const auto* layout = std::get_if<TiledLayout>(&layout_))
    return layout->tiling.untiled(tiledIndexAt(*layout, place));
  if (std::holds_alternative<SplatLayout>(layout_)) return std::nullopt;
  const int64_t thread = place.warp * kLanesOfWarp + place.lane;
  return indexAt((place.reg * kThreadsOfWarpgroup + thread) * vectorLength_ + place.slot, shape_);
}

}  // namespace hilo
