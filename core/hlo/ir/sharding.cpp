#include "core/hlo/ir/sharding.h"

#include <numeric>

namespace hilo {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;

IotaTileAssignment copyIota(Arena& arena, const IotaTileAssignment& iota) {
  return {arena.copy(iota.reshapeDimensions), arena.copy(iota.transposePermutation)};
}

// The product, or -1 when a factor is not positive or there are too many devices.
int64_t boundedProduct(std::span<const int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor <= 0 || factor > kMaxDevices) return -1;
    product *= factor;
    if (product > kMaxDevices) return -1;
  }
  return product;
}

}  // namespace

Mesh copyInto(Arena& arena, const Mesh& value) {
  Mesh copy = value;
  auto axes = arena.allocateArray<MeshAxis>(value.axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    new (&axes[i]) MeshAxis{arena.copy(value.axes[i].name), value.axes[i].size};
  }
  copy.axes = axes;
  copy.deviceIds = arena.copy(value.deviceIds);
  copy.iota = copyIota(arena, value.iota);
  return copy;
}

NamedSharding copyInto(Arena& arena, const NamedSharding& value) {
  NamedSharding copy = value;
  copy.mesh = copyInto(arena, value.mesh);
  auto dimensions = arena.allocateArray<NamedDimensionSharding>(value.dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    new (&dimensions[i])
        NamedDimensionSharding{arena.copy(value.dimensions[i].axes), value.dimensions[i].isClosed};
  }
  copy.dimensions = dimensions;
  copy.replicatedAxes = arena.copy(value.replicatedAxes);
  copy.unreducedAxes = arena.copy(value.unreducedAxes);
  copy.manualAxes = arena.copy(value.manualAxes);
  return copy;
}

Sharding copyInto(Arena& arena, const Sharding& value) {
  Sharding copy = value;
  copy.tileDimensions = arena.copy(value.tileDimensions);
  copy.iota = copyIota(arena, value.iota);
  copy.devices = arena.copy(value.devices);
  copy.subgroupTypes = arena.copy(value.subgroupTypes);
  copy.elements = copyListInto(arena, value.elements);
  copy.metadata = copyListInto(arena, value.metadata);
  if (value.named != nullptr) copy.named = arena.create<NamedSharding>(copyInto(arena, *value.named));
  return copy;
}

std::vector<int64_t> iotaDevices(const IotaTileAssignment& iota) {
  const auto sizes = iota.reshapeDimensions;
  const size_t rank = sizes.size();
  const int64_t count = boundedProduct(sizes);
  if (count < 0) return {};
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (!iota.transposePermutation.empty()) {
    if (iota.transposePermutation.size() != rank) return {};
    order.assign(iota.transposePermutation.begin(), iota.transposePermutation.end());
    std::vector<bool> seen(rank, false);
    for (int64_t dimension : order) {
      if (dimension < 0 || dimension >= static_cast<int64_t>(rank) || seen[dimension]) return {};
      seen[dimension] = true;
    }
  }
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * sizes[i];

  std::vector<int64_t> devices(count);
  std::vector<int64_t> index(rank, 0);  // in transposed order
  for (int64_t& device : devices) {
    device = 0;
    for (size_t i = 0; i < rank; ++i) device += index[i] * strides[order[i]];
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < sizes[order[i]]) break;
      index[i] = 0;
    }
  }
  return devices;
}

std::vector<int64_t> tileDevices(const Sharding& sharding) {
  if (sharding.type != Sharding::Type::Tiled) return {};
  std::vector<int64_t> devices = sharding.hasIota
                                     ? iotaDevices(sharding.iota)
                                     : std::vector<int64_t>(sharding.devices.begin(), sharding.devices.end());
  if (boundedProduct(sharding.tileDimensions) != static_cast<int64_t>(devices.size())) return {};
  return devices;
}

}  // namespace hilo
