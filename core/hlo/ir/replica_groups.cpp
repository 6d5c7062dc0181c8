#include "core/hlo/ir/replica_groups.h"

#include <numeric>

namespace hilo {
namespace {

std::vector<std::vector<int64_t>> cut(const std::vector<int64_t>& devices, int64_t groupCount,
                                      int64_t groupSize) {
  if (groupCount <= 0 || groupSize <= 0 || groupCount > static_cast<int64_t>(devices.size()) ||
      groupCount * groupSize != static_cast<int64_t>(devices.size())) {
    return {};
  }
  std::vector<std::vector<int64_t>> groups(groupCount);
  for (int64_t i = 0; i < groupCount; ++i) {
    groups[i].assign(devices.begin() + i * groupSize, devices.begin() + (i + 1) * groupSize);
  }
  return groups;
}

// The mesh with every axis cut into (before, part, after) where an AxisRef names a part, then the group axes
// moved to the end: exactly an iota reshape and transpose.
std::vector<std::vector<int64_t>> meshGroups(const ReplicaGroups& value) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> kept, grouped;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> partsOfAxis(
      value.mesh.axes.size());  // (order, position)
  for (size_t axis = 0; axis < value.mesh.axes.size(); ++axis) {
    int64_t rest = value.mesh.axes[axis].size;
    int64_t done = 1;
    std::vector<std::pair<AxisRef, int64_t>> parts;
    for (size_t i = 0; i < value.axes.size(); ++i) {
      if (value.axes[i].axis == static_cast<int64_t>(axis)) parts.emplace_back(value.axes[i], i);
    }
    std::ranges::sort(parts, {}, [](const auto& part) { return part.first.subPreSize; });
    for (const auto& [part, order] : parts) {
      const int64_t pre = part.subSize == 0 ? 1 : part.subPreSize;
      const int64_t size = part.subSize == 0 ? value.mesh.axes[axis].size : part.subSize;
      if (pre < done || size <= 0 || pre % done != 0 || rest % (pre / done * size) != 0) return {};
      kept.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(pre / done);
      partsOfAxis[axis].emplace_back(order, static_cast<int64_t>(sizes.size()));
      sizes.push_back(size);
      rest /= pre / done * size;
      done = pre * size;
    }
    kept.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(rest);
  }
  std::vector<std::pair<int64_t, int64_t>> ordered;
  for (const auto& parts : partsOfAxis) ordered.insert(ordered.end(), parts.begin(), parts.end());
  std::ranges::sort(ordered);
  int64_t groupSize = 1;
  for (const auto& [order, position] : ordered) {
    grouped.push_back(position);
    groupSize *= sizes[position];
  }
  std::vector<int64_t> permutation = kept;
  permutation.insert(permutation.end(), grouped.begin(), grouped.end());
  std::vector<int64_t> positions = iotaDevices({sizes, permutation});
  if (positions.empty()) return {};
  std::vector<int64_t> ids(value.mesh.deviceIds.begin(), value.mesh.deviceIds.end());
  if (value.mesh.hasIota) ids = iotaDevices(value.mesh.iota);
  if (ids.size() == positions.size()) {
    for (int64_t& position : positions) position = ids[position];
  }
  return cut(positions, static_cast<int64_t>(positions.size()) / groupSize, groupSize);
}

}  // namespace

ReplicaGroups copyInto(Arena& arena, const ReplicaGroups& value) {
  ReplicaGroups copy = value;
  copy.groups = copyListInto(arena, value.groups);
  copy.iota = {arena.copy(value.iota.reshapeDimensions), arena.copy(value.iota.transposePermutation)};
  copy.mesh = copyInto(arena, value.mesh);
  copy.axes = arena.copy(value.axes);
  return copy;
}

std::vector<std::vector<int64_t>> expandReplicaGroups(const ReplicaGroups& value) {
  switch (value.form) {
    case ReplicaGroups::Form::List: {
      std::vector<std::vector<int64_t>> groups;
      for (auto group : value.groups) groups.emplace_back(group.begin(), group.end());
      return groups;
    }
    case ReplicaGroups::Form::Iota:
      return cut(iotaDevices(value.iota), value.groupCount, value.groupSize);
    case ReplicaGroups::Form::MeshAxes:
      return meshGroups(value);
  }
  return {};
}

}  // namespace hilo
