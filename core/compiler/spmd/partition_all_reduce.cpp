// Partitions all-reduces of the program itself: each device sums its part with those that the program names.
#include "core/compiler/spmd/partitioner.h"
#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

// For each device its part of the array and its place among the copies.
DeviceNumbers partOfDevice(const Tiling& tiling) {
  DeviceNumbers place(static_cast<int64_t>(tiling.devices.size()), {});
  for (size_t d = 0; d < tiling.rank(); ++d)
    place = place.times(tiling.tiles[d]).plus(tileOfDevice(tiling, d));
  return place.times(tiling.copies).plus(copyOfDevice(tiling));
}

// Only devices that differ in the manual dimension alone may meet: others have other parts of the array.
Status checkMeetingDevices(const Partitioner& partitioner, const Instruction& sum, const Tiling& tiling) {
  const auto* groups = sum.get<Attr::ReplicaGroups>();
  if (groups == nullptr) return {};
  const DeviceNumbers part = partOfDevice(tiling);
  const auto partOf = [&](int64_t id) { return part[static_cast<size_t>(id % partitioner.partitions())]; };
  for (const std::vector<int64_t>& group : expandReplicaGroups(*groups)) {
    for (int64_t id : group) {
      if (id < 0 || partOf(id) == partOf(group[0])) continue;
      return refuse(sum, "spmd-conflict",
                    fmt::format("{} sums over devices of different manual subgroups: {} and {} have other "
                                "parts of {}",
                                sum.name(), group[0], id, sum.operand(0)->name()),
                    {"name devices that differ in the manual dimension of the sharding alone"});
    }
  }
  return {};
}

}  // namespace

Status partitionAllReduce(Partitioner& partitioner, Instruction& sum) {
  TRY(const Tilings wanted, partitioner.wantedTilings(sum));
  const bool isOfPartitions = sum.get<Attr::ChannelId>().has_value() && wanted.size() == 1;
  if (isOfPartitions && wanted[0].manual > 1 && !wanted[0].isManual())
    TRY_STATUS(checkMeetingDevices(partitioner, sum, wanted[0]));
  return partitionByFactors(partitioner, sum);
}

}  // namespace hilo
