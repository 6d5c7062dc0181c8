#include "core/analysis/kernel_layouts/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr int64_t kChunkBits = 16 * 8;
constexpr int64_t kLineBits = 128 * 8;

Result<Sizes> after(const TileTransform& transform, const Sizes& sizes) {
  const Sizes& tile = transform.tile;
  if (tile.empty() || tile.size() > sizes.size())
    return fail("shared-layout",
                fmt::format("the tile {} does not fit {}", tupleText(tile), tupleText(sizes)));
  Sizes result = sizes;
  const size_t first = sizes.size() - tile.size();
  for (size_t i = 0; i < tile.size(); ++i) {
    const int64_t size = sizes[first + i];
    if (tile[i] <= 0 || (size > tile[i] && size % tile[i] != 0))
      return fail("shared-layout",
                  fmt::format("dimension {} of {} is neither below nor a multiple of the tile's {}",
                              first + i, tupleText(sizes), tile[i]));
    const int64_t step = std::min(size, tile[i]);
    result[first + i] = size / step;
    result.push_back(step);
  }
  return result;
}

Result<Sizes> after(const TransposeTransform& transform, const Sizes& sizes) {
  Sizes sorted = transform.permutation;
  std::ranges::sort(sorted);
  Sizes result;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sorted.size() != sizes.size() || sorted[i] != static_cast<int64_t>(i))
      return fail("shared-layout", fmt::format("{} is no order of the dimensions of {}",
                                               tupleText(transform.permutation), tupleText(sizes)));
  for (int64_t dimension : transform.permutation) result.push_back(sizes[dimension]);
  return result;
}

// The index after a transform whose result has the tile as its last sizes.
Sizes moved(const TileTransform& transform, Sizes index, const Sizes& sizes) {
  const size_t rank = transform.tile.size();
  const size_t first = index.size() - rank;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t step = std::min(sizes[first + i], transform.tile[i]);
    index.push_back(index[first + i] % step);
    index[first + i] /= step;
  }
  return index;
}

Sizes movedBack(const TileTransform& transform, Sizes index, const Sizes& sizes) {
  const size_t rank = transform.tile.size();
  const size_t first = sizes.size() - rank;
  for (size_t i = 0; i < rank; ++i)
    index[first + i] =
        index[first + i] * std::min(sizes[first + i], transform.tile[i]) + index[sizes.size() + i];
  index.resize(sizes.size());
  return index;
}

Sizes moved(const TransposeTransform& transform, const Sizes& index, const Sizes&) {
  Sizes result;
  for (int64_t dimension : transform.permutation) result.push_back(index[dimension]);
  return result;
}

Sizes movedBack(const TransposeTransform& transform, const Sizes& index, const Sizes&) {
  Sizes result(index.size());
  for (size_t i = 0; i < index.size(); ++i) result[transform.permutation[i]] = index[i];
  return result;
}

}  // namespace

Result<SharedMap> SharedMap::of(const SharedLayout& layout, const Sizes& shape, int64_t elementBits) {
  const bool isPositive = std::ranges::all_of(shape, [](int64_t size) { return size > 0; });
  if (!isPositive || elementCount(shape) > (int64_t{1} << 32))
    return fail("kernel-shape", fmt::format("{} has no elements, or more than 2^32", tupleText(shape)));
  if (elementBits < 1 || elementBits > kChunkBits || !std::has_single_bit(static_cast<uint64_t>(elementBits)))
    return fail("shared-layout",
                fmt::format("elements of {} bits; 1, 2, 4, ... 128 can be placed", elementBits));
  const int64_t swizzle = layout.swizzleBytes;
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return fail("shared-layout",
                fmt::format("a swizzle of {} bytes; there are 16 (none), 32, 64 and 128", swizzle));
  SharedMap map;
  map.layout_ = layout;
  map.shape_ = shape;
  map.sizes_ = shape;
  map.elementBits_ = elementBits;
  for (const auto& transform : layout.transforms) {
    map.sizesBefore_.push_back(map.sizes_);
    TRY(map.sizes_, std::visit([&](const auto& one) { return after(one, map.sizes_); }, transform));
  }
  const int64_t bits = elementCount(shape) * elementBits;
  const int64_t pattern = kLineBits * swizzle / 16;
  if (swizzle != 16 && bits % pattern != 0)
    return fail("shared-layout",
                fmt::format("a swizzle of {} bytes exchanges chunks within {} bytes; the array has {} bits",
                            swizzle, pattern / 8, bits));
  return map;
}

int64_t SharedMap::bytes() const { return (elementCount(shape_) * elementBits_ + 7) / 8; }

int64_t SharedMap::swizzled(int64_t bit) const {
  return bit ^ ((bit / kLineBits) % (layout_.swizzleBytes / 16) * kChunkBits);
}

int64_t SharedMap::bitOf(const Sizes& index) const {
  Sizes place = index;
  for (size_t i = 0; i < layout_.transforms.size(); ++i)
    place = std::visit([&](const auto& one) { return moved(one, place, sizesBefore_[i]); },
                       layout_.transforms[i]);
  return swizzled(linearIndex(place, sizes_) * elementBits_);
}

Sizes SharedMap::elementAt(int64_t bit) const {
  CHECK(bit >= 0 && bit % elementBits_ == 0 && bit / elementBits_ < elementCount(shape_));
  Sizes place = indexAt(swizzled(bit) / elementBits_, sizes_);
  for (size_t i = layout_.transforms.size(); i-- > 0;)
    place = std::visit([&](const auto& one) { return movedBack(one, place, sizesBefore_[i]); },
                       layout_.transforms[i]);
  return place;
}

}  // namespace hilo
