#include "core/compiler/spmd/shardy/hlo_sharding.h"

#include <numeric>

namespace hilo::sdy {
namespace {

// A mesh with its axes cut where any of these begins or ends.
Axes cutMesh(const Mesh& mesh, std::span<const AxisRef> used) {
  Axes cuts;
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    std::vector<int64_t> points = {1, mesh.axes[a].size};
    for (const AxisRef& axis : used) {
      if (axis.axis == static_cast<int64_t>(a)) points.insert(points.end(), {axis.before, axis.end()});
    }
    std::ranges::sort(points);
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      if (points[i] < points[i + 1])
        cuts.push_back({static_cast<int64_t>(a), points[i], points[i + 1] / points[i]});
    }
  }
  return cuts;
}

// The cuts in the order in which tiles name devices: dimension by dimension, then groups, then copies.
struct TileOrder {
  Axes cuts;
  std::vector<size_t> order;
  std::vector<bool> isTaken;

  explicit TileOrder(Axes mesh) : cuts(std::move(mesh)), isTaken(cuts.size(), false) {}
  int64_t take(std::span<const AxisRef> axes) {
    int64_t size = 1;
    for (const AxisRef& axis : axes) {
      for (size_t i = 0; i < cuts.size(); ++i) {
        if (!contains(axis, cuts[i]) || isTaken[i]) continue;
        isTaken[i] = true;
        order.push_back(i);
        size *= cuts[i].size;
      }
    }
    return size;
  }
  int64_t takeRest() { return take(cuts); }
};

void writeIota(Sharding& sharding, const TileOrder& tiles, Arena& arena) {
  // Cuts that stay neighbours are one dimension of the iota.
  std::vector<size_t> position(tiles.cuts.size());
  for (size_t i = 0; i < tiles.order.size(); ++i) position[tiles.order[i]] = i;
  std::vector<int64_t> sizes, permutation(0);
  std::vector<size_t> places;
  for (size_t i = 0; i < tiles.cuts.size(); ++i) {
    if (!places.empty() && position[i] == position[i - 1] + 1) {
      sizes.back() *= tiles.cuts[i].size;
    } else {
      sizes.push_back(tiles.cuts[i].size);
      places.push_back(position[i]);
    }
  }
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t i) { return places[static_cast<size_t>(i)]; });
  sharding.hasIota = true;
  sharding.iota = {.reshapeDimensions = arena.copy(sizes),
                   .transposePermutation = arena.copy(order.size() > 1 ? order : std::vector<int64_t>{0})};
}

// Devices of a mesh that does not count them in order.
void writeDevices(Sharding& sharding, const TileOrder& tiles, std::span<const int64_t> devices,
                  Arena& arena) {
  std::vector<int64_t> strides(tiles.cuts.size(), 1);
  for (size_t i = tiles.cuts.size(); i-- > 1;) strides[i - 1] = strides[i] * tiles.cuts[i].size;
  std::vector<int64_t> result = {0};
  for (size_t cut : tiles.order) {
    std::vector<int64_t> next;
    for (int64_t base : result) {
      for (int64_t k = 0; k < tiles.cuts[cut].size; ++k) next.push_back(base + k * strides[cut]);
    }
    result = std::move(next);
  }
  for (int64_t& place : result) place = devices[static_cast<size_t>(place)];
  sharding.devices = arena.copy(result);
}

}  // namespace

Sharding toHlo(const MeshTable& meshes, const TensorSharding* sharding, size_t rank,
               const ManualRegion* manual, Arena& arena) {
  if (sharding == nullptr && manual == nullptr) return {.type = Sharding::Type::Replicated};
  const bool isForeign = manual != nullptr && sharding != nullptr && sharding->mesh != manual->mesh;
  const TensorSharding whole = plainSharding(manual != nullptr ? manual->mesh : 0, rank, true);
  const TensorSharding& of = sharding == nullptr || isForeign ? whole : *sharding;
  const Mesh& mesh = meshes[of.mesh];
  if (mesh.isOneDevice()) return {.type = Sharding::Type::Maximal, .maximalDevice = mesh.devices[0]};
  if (mesh.isEmpty()) return {.type = Sharding::Type::Replicated};
  Axes used = axesOf(of);
  if (manual != nullptr) used.insert(used.end(), manual->axes.begin(), manual->axes.end());
  TileOrder tiles(cutMesh(mesh, used));
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < rank; ++d)
    sizes.push_back(d < of.dimensions.size() ? tiles.take(of.dimensions[d].axes) : 1);
  const int64_t tileCount = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  std::vector<Sharding::Type> groups;
  const auto addGroup = [&](int64_t size, Sharding::Type type) {
    if (size == 1) return;
    sizes.push_back(size);
    groups.push_back(type);
  };
  if (manual != nullptr) addGroup(tiles.take(manual->axes), Sharding::Type::Manual);
  addGroup(tiles.take(of.unreduced), Sharding::Type::Unreduced);
  addGroup(tiles.takeRest(), Sharding::Type::Replicated);
  if (tileCount == 1 && groups.size() <= 1)
    return {.type = groups.empty() ? Sharding::Type::Replicated : groups[0]};
  Sharding result{.type = Sharding::Type::Tiled, .tileDimensions = arena.copy(sizes)};
  result.replicateOnLastTileDim = groups.size() == 1 && groups[0] == Sharding::Type::Replicated;
  if (!result.replicateOnLastTileDim) result.subgroupTypes = arena.copy(groups);
  if (mesh.devices.empty()) {
    writeIota(result, tiles, arena);
  } else {
    writeDevices(result, tiles, mesh.devices, arena);
  }
  return result;
}

TensorSharding forBorder(TensorSharding sharding, Shape shape, const MeshTable& meshes) {
  const Mesh& mesh = meshes[sharding.mesh];
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    DimensionSharding& dimension = sharding.dimensions[d];
    int64_t left = shape.dimension(d);
    Axes kept;
    for (const AxisRef& axis : dimension.axes) {
      const bool isPart = axis.size != mesh.axes[static_cast<size_t>(axis.axis)].size;
      if (isPart && !dimension.isClosed) break;
      const int64_t common = std::gcd(axis.size, left);
      const bool becomesPart = common != axis.size;
      if ((common == 1 && axis.size != 1) || (becomesPart && !dimension.isClosed)) break;
      kept.push_back({axis.axis, axis.before, common});
      if (becomesPart) break;
      left /= axis.size;
    }
    dimension.axes = std::move(kept);
  }
  return sharding;
}

}  // namespace hilo::sdy
