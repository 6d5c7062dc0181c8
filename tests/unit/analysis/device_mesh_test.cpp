// The mesh of a module, and the axes that shardings and groups run along.
#include "core/analysis/device_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DeviceMesh meshOf(const std::string& header, const std::string& parameters) {
  const auto module = parseModuleStrictly("HloModule m" + header + "\nENTRY e {\n" + parameters + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return module ? deviceMesh(**module) : DeviceMesh();
}

std::vector<AxisNames> axesOf(const DeviceMesh& mesh, const char* sharding, size_t rank) {
  Arena arena;
  const auto parsed = parseSharding(sharding, arena);
  EXPECT_TRUE(parsed) << sharding;
  return parsed ? axesOfDimensions(mesh, *parsed, rank) : std::vector<AxisNames>();
}

const DeviceMesh kTwoByFour{
    .name = "mesh", .axes = {{"data", 2}, {"model", 4}}, .devices = {0, 1, 2, 3, 4, 5, 6, 7}};

TEST(DeviceMesh, IsTheOneThatShardyStatesWithoutAxesOfOneDevice) {
  const DeviceMesh mesh = meshOf(
      ", num_partitions=8, frontend_attributes={xla.sdy.meshes={empty_mesh = #sdy.mesh<[]>, mesh = "
      "#sdy.mesh<[\"a\"=2, \"one\"=1, \"b\"=4]>}}",
      "ROOT p = f32[8] parameter(0)\n");
  EXPECT_EQ(mesh.name, "mesh");
  EXPECT_THAT(mesh.axes, ElementsAre(DeviceMesh::Axis{"a", 2}, DeviceMesh::Axis{"b", 4}));
  EXPECT_THAT(mesh.devices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(DeviceMesh, KeepsTheNamesOnceShardyHasSpread) {
  const DeviceMesh mesh =
      meshOf(", num_partitions=4, frontend_attributes={spread_meshes={mesh = #sdy.mesh<[\"a\"=2, \"b\"=2]>}}",
             "ROOT p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n");
  EXPECT_THAT(mesh.axes, ElementsAre(DeviceMesh::Axis{"a", 2}, DeviceMesh::Axis{"b", 2}));
}

TEST(DeviceMesh, FollowsFromShardingsWhereNoneIsStated) {
  const DeviceMesh mesh =
      meshOf(", num_partitions=8", R"(p = f32[8,8] parameter(0), sharding={devices=[2,4]<=[8]}
    q = f32[8,8] parameter(1), sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
    ROOT r = (f32[8,8], f32[8,8]) tuple(p, q)
)");
  EXPECT_EQ(mesh.name, "");
  EXPECT_THAT(mesh.axes, ElementsAre(DeviceMesh::Axis{"axis_0", 2}, DeviceMesh::Axis{"axis_1", 4}));
}

TEST(DeviceMesh, BrokenTextIsNoMesh) {
  for (const char* text :
       {"#sdy.mesh<[\"a\"=9999999999999999999]>", "#sdy.mesh<[\"a\"", "#sdy.mesh<[", "#sdy.mesh<[\"a\"=-2]>"})
    EXPECT_EQ(
        meshOf(fmt::format(", num_partitions=2, frontend_attributes={{xla.sdy.meshes={{m = {}}}}}", text),
               "ROOT p = f32[8] parameter(0)\n")
            .name,
        "")
        << text;
}

TEST(DeviceMesh, AxesThatCutEachDimension) {
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[2,4]<=[8]}", 2),
              ElementsAre(ElementsAre("data"), ElementsAre("model")));
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", 2),
              ElementsAre(ElementsAre("model"), IsEmpty()));
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[1,8]<=[8]}", 2),
              ElementsAre(IsEmpty(), ElementsAre("data", "model")));
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[1,8]<=[2,4]T(1,0)}", 2),
              ElementsAre(IsEmpty(), ElementsAre("model", "data")));
}

TEST(DeviceMesh, PartsOfAxesAsShardyWritesThem) {
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}", 1),
              ElementsAre(ElementsAre("model:(1)2")));
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", 1),
              ElementsAre(ElementsAre("model:(2)2")));
}

TEST(DeviceMesh, WhatCutsNothingHasNoAxes) {
  EXPECT_THAT(axesOf(kTwoByFour, "{replicated}", 2), IsEmpty());
  EXPECT_THAT(axesOf(kTwoByFour, "{devices=[3,1]<=[3]}", 2), IsEmpty());
  EXPECT_EQ(axesText({{"data"}, {}, {"model"}}), "dimension 0 along data, dimension 2 along model");
}

TEST(DeviceMesh, AxesThatGroupsRunAlong) {
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 1, 2, 3}, {4, 5, 6, 7}}), ElementsAre("model"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}), ElementsAre("data"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 1, 2, 3, 4, 5, 6, 7}}), ElementsAre("data", "model"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), ElementsAre("model:(2)2"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 2}, {1, 3}, {4, 6}, {5, 7}}), ElementsAre("model:(1)2"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 5}, {1, 4}, {2, 3}, {6, 7}}), IsEmpty());
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 3}, {1}, {2}, {4, 7}, {5}, {6}}), ElementsAre("model"));
  EXPECT_THAT(axesOfGroups(kTwoByFour, {{0, 1}, {2, 99}}), IsEmpty());
}

}  // namespace
}  // namespace hilo
