#include "ui/models/diagram.h"

#include <gtest/gtest.h>

#include "core/workspace/open/opened.h"

namespace hilo {
namespace {

std::shared_ptr<const OpenedFile> opened(const char* instruction) {
  auto file =
      openBytes(std::string("HloModule m, num_partitions=8\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] "
                            "parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\nENTRY e {\n  ") +
                    instruction + "\n}\n",
                "m.hlo");
  EXPECT_TRUE(file) << toString(file.error());
  return *file;
}

std::vector<Diagram> diagrams(const char* instruction) {
  const auto file = opened(instruction);
  return diagramsOf(*file->module->entry()->root());
}

QStringList texts(const Diagram& diagram) {
  QStringList all;
  for (const DiagramCell& cell : diagram.cells) all << cell.text;
  return all;
}

TEST(Diagram, ALayoutSaysWhereEachElementLies) {
  const auto found = diagrams("ROOT p = f32[2,3]{0,1} parameter(0)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].columns, 3);
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "2", "4", "1", "3", "5"}));
  EXPECT_TRUE(found[0].note.isEmpty());
}

TEST(Diagram, TilesAreMarkedAndPaddingIsCounted) {
  const auto found = diagrams("ROOT p = f32[3,5]{1,0:T(2,2)} parameter(0)");
  ASSERT_EQ(found.size(), 1u);
  // With the rest of the last tiles: 4 x 6 places, of which row 3 and column 5 hold nothing.
  EXPECT_EQ(found[0].columns, 6);
  EXPECT_EQ(found[0].rows(), 4);
  EXPECT_EQ(found[0].cells[2 * 6 + 3].text, "17");
  EXPECT_EQ(found[0].cells[2 * 6 + 5].group, -1);
  EXPECT_EQ(found[0].cells[2 * 6 + 5].tip, "padding: nothing at number 21 in memory");
  EXPECT_NE(found[0].cells[0].group, found[0].cells[2].group);
  EXPECT_EQ(found[0].cells[0].group, found[0].cells[1].group);
  EXPECT_EQ(found[0].note, "padding: 9 elements, 37.5% of the memory");
}

TEST(Diagram, AShardingSaysWhichDevicesHoldWhichPart) {
  const auto found = diagrams(
      "ROOT p = f32[8,6]{1,0} parameter(0), sharding={devices=[2,2,2]<=[8] last_tile_dim_replicate}");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(texts(found[0]), (QStringList{"0,1", "2,3", "4,5", "6,7"}));
  EXPECT_EQ(found[0].rowHeads, (std::vector<QString>{"0:4", "4:8"}));
  EXPECT_EQ(found[0].columnHeads, (std::vector<QString>{"0:3", "3:6"}));
  EXPECT_EQ(found[0].cells[3].tip, "[4:8, 3:6] on devices 6, 7");
  EXPECT_EQ(found[0].note, "rows: dimension 0; columns: dimension 1; each part on 2 devices");
}

TEST(Diagram, ANamedMeshSaysWhichDeviceHoldsWhichPart) {
  // Four rows by two columns of devices; dimension 0 is cut along y, dimension 1 along x.
  const auto found =
      diagrams("ROOT p = f32[8,6]{1,0} parameter(0), sharding={mesh['x'=4,'y'=2], [{'y'}, {'x':(1)2}]}");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].title, "device mesh: x by y");
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "1", "2", "3", "4", "5", "6", "7"}));
  EXPECT_EQ(found[0].rowHeads, (std::vector<QString>{"x=0", "x=1", "x=2", "x=3"}));
  EXPECT_EQ(found[0].columnHeads, (std::vector<QString>{"y=0", "y=1"}));
  // Device 5 is at x=2, y=1: the lower rows, and of x's first half of two the second.
  EXPECT_EQ(found[0].cells[5].tip, "device 5 holds [4:8, 3:6]");
  EXPECT_EQ(found[0].cells[5].group, found[0].cells[7].group);
  EXPECT_NE(found[0].cells[5].group, found[0].cells[4].group);
  EXPECT_EQ(texts(found[1]), (QStringList{"0,2", "4,6", "1,3", "5,7"}));
  EXPECT_EQ(found[1].note, "rows: dimension 0; columns: dimension 1; each part on 2 devices");
}

TEST(Diagram, ElementsOfATupleHaveTheirOwn) {
  const auto found =
      diagrams("ROOT p = (f32[4]{0}, f32[2]{0}) parameter(0), sharding={{devices=[2]<=[2]}, {replicated}}");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "element 0, sharding: which devices hold which part");
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "1"}));
}

TEST(Diagram, ReplicaGroupsAreRows) {
  const auto found = diagrams(
      "p = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} all-reduce(p), replica_groups={{0,2},{1,3}}, "
      "to_apply=add");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "2", "1", "3"}));
  EXPECT_EQ(found[0].columns, 2);
  EXPECT_EQ(found[0].note, "2 groups of 2 devices");
}

TEST(Diagram, DevicesThatHoldOnePartAreToldApartByTheirSubgroups) {
  const auto found = diagrams(
      "ROOT p = f32[8]{0} parameter(0), sharding={devices=[2,2,2]<=[8] last_tile_dims={manual, unreduced}}");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(texts(found[0]), (QStringList{"0,1,2,3", "4,5,6,7"}));
  EXPECT_EQ(found[0].note,
            "rows: dimension 0; each part on 4 devices; 2 manual, 2 unreduced: each a part of the sum");
}

TEST(Diagram, ACollectivePermuteSaysWhoSendsToWhom) {
  const auto found = diagrams(
      "p = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} collective-permute(p), "
      "source_target_pairs={{0,1},{1,0}}");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "1", "1", "0"}));
  EXPECT_EQ(found[0].cells[2].tip, "device 1 sends to device 0");
}

TEST(Diagram, ReplicaGroupsOfAMeshAreThoseAlongItsAxes) {
  const auto found = diagrams(
      "p = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} all-reduce(p), "
      "replica_groups=mesh['x'=2,'y'=4] {'x'}, to_apply=add");
  ASSERT_EQ(found.size(), 2u);
  // Devices four apart are neighbours along x.
  EXPECT_EQ(texts(found[0]), (QStringList{"0", "4", "1", "5", "2", "6", "3", "7"}));
}

TEST(Diagram, LargeArraysShowTheirStartAndSaySo) {
  const auto found = diagrams("ROOT p = f32[3,1000,2000]{2,1,0} parameter(0)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rows(), 8);
  EXPECT_EQ(found[0].note, "the last two dimensions, the others at 0; 8 x 8 of 1000 x 2000");
}

}  // namespace
}  // namespace hilo
