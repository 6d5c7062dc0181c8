// Between the stored form of a sharding and its table of devices.
#include <numeric>

#include "core/compiler/spmd/tiling.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> invalid(const Instruction& owner, std::string why) {
  return fail("sharding-invalid", fmt::format("the sharding of {}: {}", owner.name(), why),
              {.computation = std::string(owner.parent().name()), .instruction = std::string(owner.name())},
              {"change the sharding, or num_partitions of the module"});
}

std::unexpected<Diagnostic> unsupported(const Instruction& owner, std::string what) {
  return fail("spmd-unsupported",
              fmt::format("the sharding of {} is {}, which is not partitioned yet", owner.name(), what),
              {.computation = std::string(owner.parent().name()), .instruction = std::string(owner.name())});
}

// The axes of a mesh that a list names, as places in the mesh cut into all its sub-axes. A sub-axis that does
// not start at the major end of its axis, or leaves a rest, is cut where it begins and ends.
struct MeshCuts {
  std::vector<int64_t> sizes;
  std::vector<std::pair<int64_t, int64_t>> starts;  // by cut: axis, product of what is more major in it
};

void addCut(const Mesh& mesh, const AxisRef& ref, std::vector<std::vector<int64_t>>& points) {
  if (ref.subSize == 0 || ref.axis < 0 || ref.axis >= static_cast<int64_t>(mesh.axes.size())) return;
  auto& of = points[static_cast<size_t>(ref.axis)];
  of.push_back(ref.subPreSize);
  of.push_back(ref.subPreSize * ref.subSize);
}

MeshCuts cutMesh(const NamedSharding& named) {
  std::vector<std::vector<int64_t>> points(named.mesh.axes.size());
  for (size_t a = 0; a < points.size(); ++a) points[a] = {1, named.mesh.axes[a].size};
  for (const auto& dimension : named.dimensions) {
    for (const AxisRef& ref : dimension.axes) addCut(named.mesh, ref, points);
  }
  for (const AxisRef& ref : named.manualAxes) addCut(named.mesh, ref, points);
  for (const AxisRef& ref : named.unreducedAxes) addCut(named.mesh, ref, points);
  MeshCuts cuts;
  for (size_t a = 0; a < points.size(); ++a) {
    std::ranges::sort(points[a]);
    for (size_t i = 0; i + 1 < points[a].size(); ++i) {
      if (points[a][i] == points[a][i + 1] || points[a][i] <= 0) continue;
      cuts.starts.emplace_back(static_cast<int64_t>(a), points[a][i]);
      cuts.sizes.push_back(points[a][i + 1] / points[a][i]);
    }
  }
  return cuts;
}

std::vector<size_t> cutsOf(const Mesh& mesh, const MeshCuts& cuts, std::span<const AxisRef> axes) {
  std::vector<size_t> found;
  for (const AxisRef& ref : axes) {
    const int64_t from = ref.subSize == 0 ? 1 : ref.subPreSize;
    const int64_t to = ref.subSize == 0 ? mesh.axes[static_cast<size_t>(ref.axis)].size : from * ref.subSize;
    for (size_t i = 0; i < cuts.sizes.size(); ++i) {
      const auto [axis, start] = cuts.starts[i];
      if (axis == ref.axis && start >= from && start < to) found.push_back(i);
    }
  }
  return found;
}

DeviceOrder meshDevices(const Mesh& mesh, int64_t partitions) {
  if (mesh.hasIota) return DeviceOrder::iota(mesh.iota.reshapeDimensions, mesh.iota.transposePermutation);
  if (mesh.deviceIds.empty()) return DeviceOrder::iota(partitions);
  return std::vector<int64_t>(mesh.deviceIds.begin(), mesh.deviceIds.end());
}

Result<Tiling> tilingOfNamed(const NamedSharding& named, size_t rank, int64_t partitions,
                             const Instruction& owner) {
  const auto known = [&](const AxisRef& ref) {
    return ref.axis >= 0 && ref.axis < static_cast<int64_t>(named.mesh.axes.size());
  };
  const MeshCuts cuts = cutMesh(named);
  Tiling tiling{.tiles = std::vector<int64_t>(rank, 1), .devices = meshDevices(named.mesh, partitions)};
  if (std::accumulate(cuts.sizes.begin(), cuts.sizes.end(), int64_t{1}, std::multiplies<>()) != partitions ||
      !tiling.devices.isPermutationOf(partitions))
    return invalid(owner, fmt::format("its mesh is not one of {} devices", partitions));
  if (named.dimensions.size() > rank) return invalid(owner, "it names more dimensions than there are");
  std::vector<size_t> order;
  std::vector<bool> used(cuts.sizes.size(), false);
  const auto take = [&](std::span<const AxisRef> axes, int64_t& size) {
    for (size_t cut : cutsOf(named.mesh, cuts, axes)) {
      if (used[cut]) return false;
      used[cut] = true;
      order.push_back(cut);
      size *= cuts.sizes[cut];
    }
    return true;
  };
  for (size_t d = 0; d < named.dimensions.size(); ++d) {
    if (!std::ranges::all_of(named.dimensions[d].axes, known))
      return invalid(owner, "it names an axis that its mesh has not");
    if (!take(named.dimensions[d].axes, tiling.tiles[d])) return invalid(owner, "it uses an axis twice");
  }
  if (!std::ranges::all_of(named.manualAxes, known) || !take(named.manualAxes, tiling.manual))
    return invalid(owner, "its manual axes are unknown or used twice");
  std::vector<size_t> copies;
  for (size_t cut = 0; cut < used.size(); ++cut) {
    if (used[cut]) continue;
    copies.push_back(cut);
    tiling.copies *= cuts.sizes[cut];
  }
  order.insert(order.end(), copies.begin(), copies.end());
  tiling.isPartial = !named.unreducedAxes.empty();
  if (!std::ranges::all_of(named.unreducedAxes, known))
    return invalid(owner, "its unreduced axes are unknown");
  std::vector<size_t> summed = cutsOf(named.mesh, cuts, named.unreducedAxes);
  std::ranges::sort(summed);
  if (tiling.isPartial && summed != copies)
    return unsupported(owner, "unreduced on some axes and replicated on others");
  tiling.devices = tiling.devices.transposed(cuts.sizes, order);
  sortCopies(tiling);
  return tiling;
}

Result<Tiling> tilingOfTiles(const Sharding& sharding, size_t rank, int64_t partitions,
                             const Instruction& owner) {
  const size_t groups = sharding.subgroupTypes.size() + (sharding.replicateOnLastTileDim ? 1 : 0);
  if (sharding.tileDimensions.size() != rank + groups)
    return invalid(owner, fmt::format("it tiles {} dimensions, the rank is {}",
                                      static_cast<int64_t>(sharding.tileDimensions.size()) -
                                          static_cast<int64_t>(groups),
                                      rank));
  const DeviceOrder devices = sharding.hasIota ? DeviceOrder::iota(sharding.iota.reshapeDimensions,
                                                                   sharding.iota.transposePermutation)
                                               : DeviceOrder(tileDevices(sharding));
  if (productOfSizes(sharding.tileDimensions) != partitions || !devices.isPermutationOf(partitions))
    return invalid(owner, fmt::format("its tiles are not one a device of {} partitions", partitions));
  std::vector<Sharding::Type> types(sharding.subgroupTypes.begin(), sharding.subgroupTypes.end());
  if (sharding.replicateOnLastTileDim) types.push_back(Sharding::Type::Replicated);
  Tiling tiling{.tiles = {sharding.tileDimensions.begin(),
                          sharding.tileDimensions.begin() + static_cast<int64_t>(rank)}};
  std::vector<size_t> order(rank), copies;
  std::iota(order.begin(), order.end(), 0);
  for (size_t g = 0; g < types.size(); ++g) {
    const int64_t size = sharding.tileDimensions[rank + g];
    tiling.isPartial |= types[g] == Sharding::Type::Unreduced;
    const bool isManual = types[g] == Sharding::Type::Manual;
    if (!isManual) copies.push_back(rank + g);
    if (isManual) order.push_back(rank + g);
    (isManual ? tiling.manual : tiling.copies) *= size;
  }
  if (tiling.isPartial && copies.size() > 1)
    return unsupported(owner, "unreduced among some devices and replicated among others");
  order.insert(order.end(), copies.begin(), copies.end());
  tiling.devices = devices.transposed(sharding.tileDimensions, order);
  sortCopies(tiling);
  return tiling;
}

}  // namespace

Result<Tiling> tilingOf(const Sharding& sharding, Shape leaf, int64_t partitions, const Instruction& owner) {
  const size_t rank = leaf.isArray() ? leaf.rank() : 0;
  constexpr int64_t kMostPartitions = int64_t{1} << 20;
  if (partitions > kMostPartitions)
    return invalid(owner,
                   fmt::format("there are {} partitions, at most {} can be", partitions, kMostPartitions));
  if (sharding.named != nullptr) {
    const bool isEmpty = sharding.named->mesh.axes.empty();
    return isEmpty ? replicatedTiling(rank, partitions)
                   : tilingOfNamed(*sharding.named, rank, partitions, owner);
  }
  switch (sharding.type) {
    case Sharding::Type::Manual:
      return manualTiling(rank, partitions);
    case Sharding::Type::Unreduced: {
      Tiling tiling = replicatedTiling(rank, partitions);
      tiling.isPartial = true;
      return tiling;
    }
    case Sharding::Type::Tuple:
      return invalid(owner, "it is a tuple of shardings, the value is an array");
    case Sharding::Type::Maximal: {
      if (sharding.maximalDevice < 0 || sharding.maximalDevice >= partitions)
        return invalid(owner, fmt::format("device {} is not one of {}", sharding.maximalDevice, partitions));
      Tiling tiling = replicatedTiling(rank, partitions);
      tiling.isOneDevice = true;
      std::vector<int64_t> devices = tiling.devices.list();
      std::swap(devices[0], devices[static_cast<size_t>(sharding.maximalDevice)]);
      tiling.devices = std::move(devices);
      return tiling;
    }
    case Sharding::Type::Tiled:
      if (leaf.isArray()) return tilingOfTiles(sharding, rank, partitions, owner);
      [[fallthrough]];
    default:
      return replicatedTiling(rank, partitions);
  }
}

Result<Tilings> tilingsOf(const Sharding& sharding, Shape shape, int64_t partitions,
                          const Instruction& owner) {
  const std::vector<Shape> leaves = leavesOf(shape);
  const bool isTuple = sharding.type == Sharding::Type::Tuple;
  if (isTuple && sharding.elements.size() != leaves.size() && !leaves.empty())
    return invalid(owner, fmt::format("it has {} elements, the shape {} leaves", sharding.elements.size(),
                                      leaves.size()));
  Tilings tilings;
  for (size_t i = 0; i < leaves.size(); ++i) {
    TRY(Tiling tiling, tilingOf(isTuple ? sharding.elements[i] : sharding, leaves[i], partitions, owner));
    tilings.push_back(std::move(tiling));
  }
  return tilings;
}

Sharding toSharding(const Tiling& tiling, Arena& arena) {
  if (tiling.isOneDevice) return {.type = Sharding::Type::Maximal, .maximalDevice = tiling.devices[0]};
  if (tiling.isReplicated()) return {.type = Sharding::Type::Replicated};
  if (tiling.isManual()) return {.type = Sharding::Type::Manual};
  if (tiling.isPartial && tiling.isWhole() && tiling.manual == 1) return {.type = Sharding::Type::Unreduced};
  Sharding sharding{.type = Sharding::Type::Tiled};
  std::vector<int64_t> dimensions = tiling.tiles;
  std::vector<Sharding::Type> groups;
  if (tiling.manual > 1) {
    dimensions.push_back(tiling.manual);
    groups.push_back(Sharding::Type::Manual);
  }
  if (tiling.copies > 1) {
    dimensions.push_back(tiling.copies);
    if (tiling.isPartial)
      groups.push_back(Sharding::Type::Unreduced);
    else if (!groups.empty())
      groups.push_back(Sharding::Type::Replicated);
    sharding.replicateOnLastTileDim = groups.empty();
  }
  sharding.tileDimensions = arena.copy(dimensions);
  sharding.subgroupTypes = arena.copy(groups);
  if (const auto iota = tiling.devices.iota()) {
    sharding.hasIota = true;
    sharding.iota = {.reshapeDimensions = arena.copy(iota->reshape),
                     .transposePermutation = arena.copy(iota->permutation)};
  } else {
    sharding.devices = arena.copy(tiling.devices.list());
  }
  return sharding;
}

Sharding toSharding(const Tilings& tilings, Shape shape, Arena& arena) {
  if (!shape.isTuple()) return toSharding(tilings[0], arena);
  std::vector<Sharding> elements;
  for (const Tiling& tiling : tilings) elements.push_back(toSharding(tiling, arena));
  return {.type = Sharding::Type::Tuple,
          .elements = copyListInto(arena, std::span<const Sharding>(elements))};
}

}  // namespace hilo
