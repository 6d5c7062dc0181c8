#include "core/compiler/spmd/tiling_steps.h"

#include <numeric>

namespace hilo {

std::vector<int64_t> transposed(std::span<const int64_t> elements, std::span<const int64_t> sizes,
                                std::span<const size_t> order) {
  const size_t rank = sizes.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  std::vector<int64_t> result, index(rank, 0);
  result.reserve(elements.size());
  while (result.size() < elements.size()) {
    int64_t at = 0;
    for (size_t i = 0; i < rank; ++i) at += index[i] * strides[order[i]];
    result.push_back(elements[static_cast<size_t>(at)]);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < sizes[order[i]]) break;
      index[i] = 0;
    }
  }
  return result;
}

void sortCopies(Tiling& tiling) {
  if (tiling.isOneDevice) return;
  for (size_t i = 0; i < tiling.devices.size(); i += static_cast<size_t>(tiling.copies))
    std::sort(tiling.devices.begin() + static_cast<int64_t>(i),
              tiling.devices.begin() + static_cast<int64_t>(i) + tiling.copies);
}

Tiling renamed(const Tiling& tiling, std::span<const int64_t> from) {
  const size_t rank = tiling.rank();
  std::vector<int64_t> sizes = tiling.tiles;
  sizes.push_back(tiling.manual);
  sizes.push_back(tiling.copies);
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
  result.devices = transposed(tiling.devices, sizes, order);
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
  std::vector<int64_t> sizes = tiling.tiles;
  sizes[dimension] /= size;
  sizes.insert(sizes.begin() + static_cast<int64_t>(dimension) + 1, size);
  sizes.insert(sizes.end(), {tiling.manual, tiling.copies});
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i != dimension + 1) order.push_back(i);
  }
  order.push_back(dimension + 1);
  Tiling result = tiling;
  result.tiles[dimension] /= size;
  result.copies *= size;
  result.devices = transposed(tiling.devices, sizes, order);
  sortCopies(result);
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
  if (a.isOneDevice || b.isOneDevice || a.manual != b.manual) return std::nullopt;
  const size_t count = a.devices.size();
  std::vector<int64_t> place(count, 0);
  Tiling result{.manual = a.manual};
  for (size_t d = 0; d < a.rank(); ++d) {
    if (a.tiles[d] != b.tiles[d] && a.tiles[d] != 1 && b.tiles[d] != 1) return std::nullopt;
    const auto ofA = tileOfDevice(a, d), ofB = tileOfDevice(b, d);
    if (a.tiles[d] == b.tiles[d] && ofA != ofB) return std::nullopt;
    result.tiles.push_back(std::max(a.tiles[d], b.tiles[d]));
    for (size_t i = 0; i < count; ++i)
      place[i] = place[i] * result.tiles[d] + (a.tiles[d] > 1 ? ofA : ofB)[i];
  }
  const auto groupA = groupOfDevice(a), groupB = groupOfDevice(b);
  const int64_t groups = result.tileCount() * result.manual;
  if (static_cast<int64_t>(count) % groups != 0) return std::nullopt;
  result.copies = static_cast<int64_t>(count) / groups;
  std::vector<std::vector<int64_t>> members(static_cast<size_t>(groups));
  for (size_t i = 0; i < count; ++i) {
    if (groupA[i] % a.manual != groupB[i] % b.manual) return std::nullopt;
    members[static_cast<size_t>(place[i] * result.manual + groupA[i] % a.manual)].push_back(
        static_cast<int64_t>(i));
  }
  for (const auto& devices : members) {
    if (static_cast<int64_t>(devices.size()) != result.copies) return std::nullopt;
    result.devices.insert(result.devices.end(), devices.begin(), devices.end());
  }
  return result;
}

bool isInside(Shape array, const Tiling& fine, const Tiling& coarse) {
  if (fine.rank() != coarse.rank() || fine.manual != coarse.manual) return false;
  for (size_t d = 0; d < fine.rank(); ++d) {
    if (coarse.tiles[d] == 1) continue;
    const int64_t size = array.dimension(d);
    const int64_t small = ceilDiv(size, fine.tiles[d]), large = ceilDiv(size, coarse.tiles[d]);
    const auto ofFine = tileOfDevice(fine, d), ofCoarse = tileOfDevice(coarse, d);
    for (size_t i = 0; i < ofFine.size(); ++i) {
      const int64_t begin = ofFine[i] * small, end = std::min(begin + small, size);
      if (begin >= size && ofCoarse[i] * large <= begin) continue;
      if (begin < ofCoarse[i] * large || end > (ofCoarse[i] + 1) * large) return false;
    }
  }
  const auto a = groupOfDevice(fine), b = groupOfDevice(coarse);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] % fine.manual != b[i] % coarse.manual) return false;
  }
  return true;
}

bool isUneven(int64_t size, int64_t tiles) { return size % tiles != 0; }

}  // namespace hilo
