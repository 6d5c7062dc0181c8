#include "core/hlo/ir/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

using testing::ElementsAre;

TEST(Iota, TransposedDevices) {
  const std::vector<int64_t> sizes = {2, 3};
  const std::vector<int64_t> permutation = {1, 0};
  EXPECT_THAT(iotaDevices({sizes, permutation}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(iotaDevices({sizes, {}}), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Iota, HostileNumbersGiveNothing) {
  const std::vector<int64_t> huge = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_TRUE(iotaDevices({huge, {}}).empty());
  const std::vector<int64_t> sizes = {2, 3};
  const std::vector<int64_t> notAPermutation = {0, 0};
  EXPECT_TRUE(iotaDevices({sizes, notAPermutation}).empty());
}

TEST(ReplicaGroups, IotaForm) {
  const std::vector<int64_t> sizes = {2, 2};
  const std::vector<int64_t> permutation = {1, 0};
  const ReplicaGroups groups{
      .form = ReplicaGroups::Form::Iota, .groupCount = 2, .groupSize = 2, .iota = {sizes, permutation}};
  EXPECT_THAT(expandReplicaGroups(groups), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(ReplicaGroups, MeshAxesGroupTheNamedAxes) {
  const std::vector<MeshAxis> axes = {{"x", 2}, {"y", 4}};
  const std::vector<AxisRef> wholeX = {{.axis = 0}};
  ReplicaGroups groups{.form = ReplicaGroups::Form::MeshAxes, .mesh = {.axes = axes}, .axes = wholeX};
  EXPECT_THAT(expandReplicaGroups(groups),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  const std::vector<AxisRef> minorHalfOfY = {{.axis = 1, .subPreSize = 2, .subSize = 2}};
  groups.axes = minorHalfOfY;
  EXPECT_THAT(expandReplicaGroups(groups),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(6, 7)));
}

}  // namespace
}  // namespace hilo
