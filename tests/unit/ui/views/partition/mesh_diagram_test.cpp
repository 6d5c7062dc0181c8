// Meshes as grids: which devices have one shade, and what stands at the axes.
#include "ui/views/partition/mesh_diagram.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

const DeviceMesh kTwoByFour{
    .name = "mesh", .axes = {{"data", 2}, {"model", 4}}, .devices = {0, 1, 2, 3, 4, 5, 6, 7}};

std::vector<int> shades(const Diagram& diagram) {
  std::vector<int> groups;
  for (const DiagramCell& cell : diagram.cells) groups.push_back(cell.group);
  return groups;
}

TEST(MeshDiagram, GroupsAlongTheLastAxisAreRows) {
  const auto diagram = groupsOnMesh(kTwoByFour, {{0, 1, 2, 3}, {4, 5, 6, 7}}, {"model"});
  ASSERT_TRUE(diagram);
  EXPECT_EQ(diagram->columns, 4);
  EXPECT_EQ(shades(*diagram), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(diagram->rowHeads, (std::vector<QString>{"data 0", "data 1"}));
  EXPECT_EQ(diagram->columnHeads[0], "model 0");
  EXPECT_EQ(diagram->title, "mesh: it runs along model");
}

TEST(MeshDiagram, CopiesHaveOneShade) {
  Arena arena;
  const auto sharding = parseSharding("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", arena);
  ASSERT_TRUE(sharding);
  const std::vector<int64_t> sizes = {8, 8};
  const auto diagram = partsOnMesh(kTwoByFour, &*sharding, Shape::array(ElementType::F32, sizes));
  ASSERT_TRUE(diagram);
  EXPECT_EQ(shades(*diagram), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_TRUE(diagram->note.contains("2 copies")) << diagram->note.toStdString();
  EXPECT_EQ(diagram->cells[5].tip, "device 5 holds part 1 of 4");
}

TEST(MeshDiagram, WhatIsWholeHasOneShadeAndNoMeshIsNoDiagram) {
  const auto diagram = partsOnMesh(kTwoByFour, nullptr, Shape());
  ASSERT_TRUE(diagram);
  EXPECT_EQ(shades(*diagram), std::vector<int>(8, 0));
  EXPECT_FALSE(partsOnMesh(DeviceMesh(), nullptr, Shape()));
}

TEST(MeshDiagram, OfManyDevicesACornerIsDrawn) {
  DeviceMesh mesh{.name = "mesh", .axes = {{"a", 256}, {"b", 256}}, .devices = std::vector<int64_t>(65536)};
  for (size_t i = 0; i < mesh.devices.size(); ++i) mesh.devices[i] = static_cast<int64_t>(i);
  const auto diagram = partsOnMesh(mesh, nullptr, Shape());
  ASSERT_TRUE(diagram);
  EXPECT_EQ(diagram->cells.size(), 256u);
  EXPECT_TRUE(diagram->note.contains("16 x 16 of 256 x 256 devices")) << diagram->note.toStdString();
}

}  // namespace
}  // namespace hilo
