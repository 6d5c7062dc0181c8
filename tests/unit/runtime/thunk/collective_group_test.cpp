// Whom a device meets: groups and pairs on grids of devices.
#include "core/runtime/thunk/collective_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Route = Communicator::Route;

// On four devices in a row, each a replica.
struct Link {
  explicit Link(int64_t device)
      : link{.communicator = communicator, .device = device, .host = {}, .started = {}} {}
  Communicator communicator{DeviceGrid{.replicas = 4}};
  DeviceLink link;
};

Collective permute() { return {.kind = CollectiveKind::Permute, .groups = {{0, 1}, {1, 3}}}; }

TEST(CollectiveGroup, IsTheGroupThatNamesTheDevice) {
  const Collective reduce{.kind = CollectiveKind::AllReduce, .groups = {{2, 0}, {1, 3}}};
  EXPECT_THAT(groupOf(reduce, Link(0).link)->devices, ElementsAre(2, 0));
  EXPECT_THAT(groupOf(reduce, Link(3).link)->devices, ElementsAre(1, 3));
}

TEST(CollectiveGroup, IsEverybodyWhereNoGroupIsGiven) {
  EXPECT_THAT(groupOf({.kind = CollectiveKind::AllGather}, Link(2).link)->devices, ElementsAre(0, 1, 2, 3));
}

TEST(CollectiveGroup, OfAPermuteIsEveryDeviceOfItsPairs) {
  const auto group = groupOf(permute(), Link(1).link);
  EXPECT_THAT(group->devices, ElementsAre(0, 1, 3));
  EXPECT_EQ(group->source, 0);
}

TEST(CollectiveGroup, OfAPermuteLeavesOutWhoIsInNoPair) {
  EXPECT_THAT(groupOf(permute(), Link(2).link)->devices, IsEmpty());
}

TEST(CollectiveGroup, OfAPermuteHasNoSourceForWhoOnlySends) {
  EXPECT_EQ(groupOf(permute(), Link(0).link)->source, std::nullopt);
}

TEST(CollectiveGroup, RefusesADeviceThatTheGridDoesNotHave) {
  const auto group = groupOf({.kind = CollectiveKind::AllReduce, .groups = {{0, 4}}}, Link(0).link);
  ASSERT_FALSE(group.has_value());
  EXPECT_EQ(group.error().kind, "malformed-instruction");
}

TEST(Routes, AreThePairsThatStartOrEndAtTheDevice) {
  const Collective pairs{
      .kind = CollectiveKind::SendRecv, .channel = 7, .groups = {{0, 1}, {1, 3}}, .hasPairs = true};
  const Route in{.channel = 7, .source = 0, .target = 1}, out{.channel = 7, .source = 1, .target = 3};
  EXPECT_EQ(*routesOf(pairs, Link(1).link, true), std::vector{out});
  EXPECT_EQ(*routesOf(pairs, Link(1).link, false), std::vector{in});
  EXPECT_THAT(*routesOf(pairs, Link(2).link, true), IsEmpty());
}

TEST(Routes, NameTheChannelAloneWhereThereAreNoPairs) {
  EXPECT_EQ(*routesOf({.kind = CollectiveKind::SendRecv, .channel = 7}, Link(2).link, true),
            std::vector{Route{.channel = 7}});
}

}  // namespace
}  // namespace hilo
