// Whom a collective's numbers stand for, on a grid of 2 replicas by 3 partitions: device = replica *
// 3 + partition.
#include "core/hlo/ir/device_groups.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

constexpr DeviceGrid kGrid{2, 3};
using Groups = std::vector<std::vector<int64_t>>;
using Ids = std::vector<int64_t>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

TEST(DeviceGroups, NumbersStandForReplicasPartitionsOrDevices) {
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::CrossReplica, Groups{{1, 0}}, kGrid, 4), (Ids{4, 1}));
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::CrossPartition, Groups{{0}, {2, 1}}, kGrid, 4), (Ids{5, 4}));
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::FlattenedId, Groups{{0, 4}, {5, 1}}, kGrid, 4), (Ids{0, 4}));
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::CrossReplicaAndPartition, Groups{{0}, {1}}, kGrid, 4),
            (Ids{3, 4, 5}));
}

TEST(DeviceGroups, NoGroupsMeanEverybodyExceptWhereIdsAreGlobal) {
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::CrossReplica, {}, kGrid, 4), (Ids{1, 4}));
  EXPECT_EQ(devicesOfGroup(DeviceGroupMode::CrossPartition, {}, kGrid, 4), (Ids{3, 4, 5}));
  EXPECT_FALSE(devicesOfGroup(DeviceGroupMode::FlattenedId, {}, kGrid, 4).has_value());
}

TEST(DeviceGroups, PairsStayAmongTheDevicesOfOneRow) {
  EXPECT_EQ(devicesOfPairs(DeviceGroupMode::CrossPartition, Groups{{0, 1}, {1, 2}}, kGrid, 3),
            (Pairs{{3, 4}, {4, 5}}));
  EXPECT_EQ(devicesOfPairs(DeviceGroupMode::CrossReplica, Groups{{0, 1}}, kGrid, 2), (Pairs{{2, 5}}));
}

TEST(DeviceGroups, ANumberOfNobodyIsNamedWithHowManyThereAre) {
  const auto pairs = devicesOfPairs(DeviceGroupMode::CrossReplica, Groups{{0, 1}, {1, 2}}, kGrid, 0);
  ASSERT_FALSE(pairs.has_value());
  EXPECT_EQ(pairs.error().message, "source_target_pairs names replica 2, of which there are 2");
  ASSERT_EQ(pairs.error().notes.size(), 2U);
  EXPECT_EQ(pairs.error().notes[1],
            "an instruction without a channel_id talks to replicas, not to partitions");
  const auto group = devicesOfGroup(DeviceGroupMode::FlattenedId, Groups{{0, 6}}, kGrid, 0);
  ASSERT_FALSE(group.has_value());
  EXPECT_EQ(group.error().message, "replica_groups names device 6, of which there are 6");
}

TEST(DeviceGroups, ADeviceTakesPartOnce) {
  EXPECT_FALSE(devicesOfGroup(DeviceGroupMode::FlattenedId, Groups{{0, 0}}, kGrid, 0).has_value());
  EXPECT_FALSE(devicesOfPairs(DeviceGroupMode::CrossPartition, Groups{{0, 1}, {0, 2}}, kGrid, 0).has_value());
  EXPECT_FALSE(devicesOfPairs(DeviceGroupMode::CrossPartition, Groups{{0, 1}, {2, 1}}, kGrid, 0).has_value());
  EXPECT_FALSE(devicesOfPairs(DeviceGroupMode::CrossPartition, Groups{{0}}, kGrid, 0).has_value());
}

}  // namespace
}  // namespace hilo
