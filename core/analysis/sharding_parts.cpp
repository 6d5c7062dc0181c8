#include "core/analysis/sharding_parts.h"

namespace hilo {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;

// Fills devicesOf from the places; false where some part has no device.
bool gatherDevices(ShardingParts& parts, int64_t count) {
  parts.devicesOf.resize(static_cast<size_t>(count));
  for (size_t place = 0; place < parts.partOf.size(); ++place)
    parts.devicesOf[static_cast<size_t>(parts.partOf[place])].push_back(parts.deviceAt[place]);
  for (const auto& devices : parts.devicesOf) {
    if (devices.empty()) return false;
  }
  return true;
}

// Tile dimensions beyond the rank are copies.
std::optional<ShardingParts> tiledParts(const Sharding& sharding, size_t rank) {
  if (sharding.tileDimensions.size() < rank) return std::nullopt;
  ShardingParts parts{.deviceAt = tileDevices(sharding)};
  const auto tiles = sharding.tileDimensions.subspan(0, rank);
  parts.tiles.assign(tiles.begin(), tiles.end());
  int64_t count = 1;
  for (const int64_t tile : tiles) {
    if (tile <= 0 || tile > kMostDevices / count) return std::nullopt;
    count *= tile;
  }
  const auto devices = static_cast<int64_t>(parts.deviceAt.size());
  if (devices == 0 || devices % count != 0) return std::nullopt;
  for (int64_t place = 0; place < devices; ++place) parts.partOf.push_back(place / (devices / count));
  if (!gatherDevices(parts, count)) return std::nullopt;
  return parts;
}

std::optional<int64_t> meshSize(const Mesh& mesh) {
  int64_t size = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size <= 0 || axis.size > kMostDevices / size) return std::nullopt;
    size *= axis.size;
  }
  return size;
}

std::vector<int64_t> meshDevices(const Mesh& mesh, int64_t size) {
  if (!mesh.deviceIds.empty()) return {mesh.deviceIds.begin(), mesh.deviceIds.end()};
  if (mesh.hasIota) return iotaDevices(mesh.iota);
  std::vector<int64_t> devices(static_cast<size_t>(size));
  for (int64_t n = 0; n < size; ++n) devices[static_cast<size_t>(n)] = n;
  return devices;
}

// An axis, or the part of one that "axis:(preSize)size" names: how long it is, and how far apart the places
// along it are within the axis.
struct Extent {
  int64_t size = 0;
  int64_t step = 1;
};
std::optional<Extent> extentOf(const AxisRef& ref, const Mesh& mesh) {
  if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(mesh.axes.size())) return std::nullopt;
  const int64_t whole = mesh.axes[static_cast<size_t>(ref.axis)].size;
  if (ref.subSize == 0) return Extent{whole, 1};
  const int64_t before = ref.subPreSize;
  if (before <= 0 || ref.subSize <= 0 || before > whole || ref.subSize > whole) return std::nullopt;
  if (whole % (before * ref.subSize) != 0) return std::nullopt;
  return Extent{ref.subSize, whole / (before * ref.subSize)};
}

std::optional<ShardingParts> namedParts(const NamedSharding& named, size_t rank) {
  const auto size = meshSize(named.mesh);
  if (!size || named.dimensions.size() > rank) return std::nullopt;
  ShardingParts parts{.tiles = std::vector<int64_t>(rank, 1), .deviceAt = meshDevices(named.mesh, *size)};
  if (parts.deviceAt.size() != static_cast<size_t>(*size)) return std::nullopt;
  parts.partOf.assign(parts.deviceAt.size(), 0);
  // How far apart neighbours along an axis are in the row-major order of the mesh.
  std::vector<int64_t> stride(named.mesh.axes.size(), 1);
  for (size_t a = stride.size(); a-- > 1;) stride[a - 1] = stride[a] * named.mesh.axes[a].size;
  int64_t count = 1;
  for (size_t d = 0; d < named.dimensions.size(); ++d) {
    for (const AxisRef& ref : named.dimensions[d].axes) {
      const auto extent = extentOf(ref, named.mesh);
      if (!extent || extent->size > kMostDevices / count) return std::nullopt;
      count *= extent->size;
      parts.tiles[d] *= extent->size;
      const auto axis = static_cast<size_t>(ref.axis);
      for (int64_t place = 0; place < *size; ++place) {
        const int64_t along = place / stride[axis] % named.mesh.axes[axis].size;
        int64_t& part = parts.partOf[static_cast<size_t>(place)];
        part = part * extent->size + along / extent->step % extent->size;
      }
    }
  }
  if (!gatherDevices(parts, count)) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<ShardingParts> shardingParts(const Sharding& sharding, size_t rank) {
  if (sharding.named != nullptr) return namedParts(*sharding.named, rank);
  return sharding.type == Sharding::Type::Tiled ? tiledParts(sharding, rank) : std::nullopt;
}

}  // namespace hilo
