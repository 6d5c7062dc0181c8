#include "core/analysis/implied_devices.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Replicas and partitions of a module with this header and this collective of f32[4].
std::pair<int64_t, int64_t> gridOf(const std::string& collective, const std::string& header = "HloModule m") {
  const auto module = parseModuleStrictly(header + R"(

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = )" + collective + "\n}\n");
  EXPECT_TRUE(module) << toString(module.error());
  if (!module) return {};
  const DeviceGrid grid = impliedGrid(**module);
  return {grid.replicas, grid.partitions};
}

using Grid = std::pair<int64_t, int64_t>;

TEST(ImpliedDevices, TheHeaderDecides) {
  EXPECT_EQ(
      gridOf("f32[4] all-reduce(p), replica_groups={{0,1}}, to_apply=add", "HloModule m, replica_count=6"),
      Grid(6, 1));
}

TEST(ImpliedDevices, GroupsAndPairsNameThem) {
  EXPECT_EQ(gridOf("f32[4] all-reduce(p), replica_groups={{0,2},{1,3}}, to_apply=add"), Grid(4, 1));
  EXPECT_EQ(gridOf("f32[4] collective-permute(p), source_target_pairs={{0,6}}"), Grid(7, 1));
  EXPECT_EQ(gridOf("f32[4] collective-permute(p), channel_id=1, source_target_pairs={{0,6}}"), Grid(1, 7));
}

TEST(ImpliedDevices, ShapesTellWhereAllTakePart) {
  EXPECT_EQ(gridOf("f32[512] all-gather(p), dimensions={0}, replica_groups={}"), Grid(128, 1));
  EXPECT_EQ(gridOf("f32[2] reduce-scatter(p), dimensions={0}, replica_groups={}, to_apply=add"), Grid(2, 1));
}

TEST(ImpliedDevices, NothingTellsOfMoreThanOne) {
  EXPECT_EQ(gridOf("f32[4] negate(p)"), Grid(1, 1));
  EXPECT_EQ(gridOf("f32[4] all-reduce(p), replica_groups={}, to_apply=add"), Grid(1, 1));
  // Of two devices by their groups, whatever the shapes are.
  EXPECT_EQ(gridOf("f32[8] all-gather(p), dimensions={0}, replica_groups={{0,1}}"), Grid(2, 1));
}

}  // namespace
}  // namespace hilo
