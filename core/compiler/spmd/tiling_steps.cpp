#include "core/compiler/spmd/tiling_steps.h"

#include <numeric>

namespace hilo {

void sortCopies(Tiling& tiling) {
  if (!tiling.isOneDevice) tiling.devices = tiling.devices.withSortedRuns(tiling.copies);
}

Tiling renamed(const Tiling& tiling, std::span<const int64_t> from) {
  const size_t rank = tiling.rank();
  const std::vector<int64_t> sizes = tableSizes(tiling);
  std::vector<bool> taken(rank, false);
  std::vector<size_t> order;
  Tiling result{.manual = tiling.manual, .copies = tiling.copies};
  for (int64_t dimension : from) {
    result.tiles.push_back(dimension < 0 ? 1 : tiling.tiles[static_cast<size_t>(dimension)]);
    if (dimension < 0) continue;
    order.push_back(static_cast<size_t>(dimension));
    taken[static_cast<size_t>(dimension)] = true;
  }
  order.push_back(rank);
  for (size_t d = 0; d < rank; ++d) {
    if (taken[d]) continue;
    order.push_back(d);
    result.copies *= tiling.tiles[d];
  }
  order.push_back(rank + 1);
  result.devices = tiling.devices.transposed(sizes, order);
  result.isOneDevice = tiling.isOneDevice;
  sortCopies(result);
  return result;
}

Tiling wholeIn(const Tiling& tiling, std::span<const int64_t> dimensions) {
  std::vector<int64_t> from(tiling.rank());
  std::iota(from.begin(), from.end(), 0);
  for (int64_t dimension : dimensions) from[static_cast<size_t>(dimension)] = -1;
  return renamed(tiling, from);
}

Tiling withFewerTiles(const Tiling& tiling, size_t dimension, int64_t size) {
  std::vector<int64_t> sizes = tableSizes(tiling);
  sizes[dimension] /= size;
  sizes.insert(sizes.begin() + static_cast<int64_t>(dimension) + 1, size);
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i != dimension + 1) order.push_back(i);
  }
  order.push_back(dimension + 1);
  Tiling result = tiling;
  result.tiles[dimension] /= size;
  result.copies *= size;
  result.devices = tiling.devices.transposed(sizes, order);
  sortCopies(result);
  return result;
}

Tiling mirrored(const Tiling& tiling, size_t dimension) {
  if (tiling.tiles[dimension] == 1) return tiling;
  const std::vector<int64_t> sizes = tableSizes(tiling);
  int64_t stride = 1;
  for (size_t d = dimension + 1; d < sizes.size(); ++d) stride *= sizes[d];
  const std::vector<int64_t> had = tiling.devices.list();
  std::vector<int64_t> devices(had.size());
  for (int64_t i = 0; i < static_cast<int64_t>(had.size()); ++i) {
    const int64_t tile = i / stride % sizes[dimension];
    devices[static_cast<size_t>(i + (sizes[dimension] - 1 - 2 * tile) * stride)] =
        had[static_cast<size_t>(i)];
  }
  Tiling result = tiling;
  result.devices = DeviceOrder(std::move(devices));
  return result;
}

Tiling wholeTiling(const Tiling& tiling, size_t rank) {
  Tiling result = renamed(tiling, std::vector<int64_t>(rank, -1));
  result.isOneDevice = false;
  sortCopies(result);
  return result;
}

std::optional<Tiling> merged(const Tiling& a, const Tiling& b) {
  if (a.rank() != b.rank() || a.devices.size() != b.devices.size()) return std::nullopt;
  if (a.isOneDevice || b.isOneDevice || a.isPartial || b.isPartial || a.manual != b.manual)
    return std::nullopt;
  const DeviceNumbers manual = manualOfDevice(a);
  if (!(manual == manualOfDevice(b))) return std::nullopt;
  const auto count = static_cast<int64_t>(a.devices.size());
  DeviceNumbers place(count, {});
  Tiling result{.manual = a.manual};
  for (size_t d = 0; d < a.rank(); ++d) {
    if (a.tiles[d] != b.tiles[d] && a.tiles[d] != 1 && b.tiles[d] != 1) return std::nullopt;
    const DeviceNumbers tile = tileOfDevice(a.tiles[d] > 1 ? a : b, d);
    if (a.tiles[d] == b.tiles[d] && !(tile == tileOfDevice(b, d))) return std::nullopt;
    result.tiles.push_back(std::max(a.tiles[d], b.tiles[d]));
    place = place.times(result.tiles[d]).plus(tile);
  }
  place = place.times(result.manual).plus(manual);
  const int64_t groups = result.tileCount() * result.manual;
  auto devices = DeviceOrder::sortedBy(place, groups);
  if (!devices) return std::nullopt;
  result.copies = count / groups;
  result.devices = *std::move(devices);
  return result;
}

namespace {

// The same along one dimension, of `size` elements.
bool isInsideAlong(int64_t size, const Tiling& fine, const Tiling& coarse, size_t dimension) {
  const int64_t many = fine.tiles[dimension], few = coarse.tiles[dimension];
  if (few == 1) return true;
  const DeviceNumbers ofFine = tileOfDevice(fine, dimension), ofCoarse = tileOfDevice(coarse, dimension);
  if (many == few && ofFine == ofCoarse) return true;
  if (size % many == 0 && many % few == 0) return ofFine.dividedBy(many / few) == ofCoarse;
  const int64_t small = ceilDiv(size, many), large = ceilDiv(size, few);
  const auto holds = [&](const std::pair<int64_t, int64_t>& tiles) {
    const int64_t begin = tiles.first * small, end = std::min(begin + small, size);
    if (begin >= size && tiles.second * large <= begin) return true;
    return begin >= tiles.second * large && end <= (tiles.second + 1) * large;
  };
  return std::ranges::all_of(DeviceNumbers::pairs(ofFine, ofCoarse), holds);
}

}  // namespace

bool isInside(Shape array, const Tiling& fine, const Tiling& coarse) {
  if (fine.rank() != coarse.rank() || fine.manual != coarse.manual || fine.isPartial || coarse.isPartial)
    return false;
  for (size_t d = 0; d < fine.rank(); ++d) {
    if (!isInsideAlong(array.dimension(d), fine, coarse, d)) return false;
  }
  return fine.manual == 1 || manualOfDevice(fine) == manualOfDevice(coarse);
}

bool isUneven(int64_t size, int64_t tiles) { return size % tiles != 0; }

}  // namespace hilo
