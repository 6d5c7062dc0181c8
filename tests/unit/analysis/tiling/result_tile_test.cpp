// Tiles of operands followed to results.
#include "core/analysis/tiling/result_tile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

std::string resultOf(const std::string& body, size_t operand, std::vector<int64_t> sizes) {
  const auto module = moduleWithReducers(body);
  if (!module) return "no module";
  const auto tile = resultTile(*module->entry()->root(), operand, sizes);
  if (!tile) return tile.error().message;
  const std::vector<std::string> names = {"d0", "d1", "d2", "d3", "d4"};
  std::vector<std::string> parts;
  for (const TileDimension& d : tile->dimensions)
    parts.push_back(fmt::format("{} +{}x{}", d.offset.text(names), d.size, d.stride));
  return fmt::format("{}", fmt::join(parts, ", "));
}

TEST(ResultTile, OfWhatKeepsTheIndex) {
  const std::string two = "x = f32[12,30] parameter(0)\ny = f32[12,30] parameter(1)\n";
  EXPECT_EQ(resultOf(two + "ROOT s = f32[12,30] add(x, y)", 0, {3, 10}), "d0 +3x1, d1 +10x1");
  EXPECT_EQ(resultOf(two + "ROOT s = f32[12,30] add(x, y)", 1, {3, 10}), "d0 +3x1, d1 +10x1");
}

TEST(ResultTile, OfABroadcastIsWholeWhereTheOperandHasNothing) {
  EXPECT_EQ(
      resultOf("x = f32[6,12] parameter(0)\nROOT b = f32[6,5,12] broadcast(x), dimensions={0,2}", 0, {2, 4}),
      "d0 +2x1, 0 +5x1, d1 +4x1");
}

TEST(ResultTile, OfWhatMovesData) {
  EXPECT_EQ(
      resultOf("x = f32[2,6,1,9] parameter(0)\nROOT t = f32[1,2,9,6] transpose(x), dimensions={2,0,3,1}", 0,
               {1, 2, 1, 3}),
      "0 +1x0, d0 +1x0, d3 +3x1, d1 +2x1");
  const std::string parts =
      "x = f32[8,6] parameter(0)\ny = f32[8,4] parameter(1)\nz = f32[8,2] parameter(2)\n"
      "ROOT c = f32[8,12] concatenate(x, y, z), dimensions={1}";
  EXPECT_EQ(resultOf(parts, 0, {4, 3}), "d0 +4x1, d1 +3x1");
  EXPECT_EQ(resultOf(parts, 1, {4, 2}), "d0 +4x1, d1 + 6 +2x1");
  EXPECT_EQ(resultOf(parts, 2, {4, 1}), "d0 +4x1, d1 + 10 +1x0");
  EXPECT_EQ(resultOf("x = f32[9] parameter(0)\nROOT r = f32[9] reverse(x), dimensions={0}", 0, {3}),
            "-d0 + 8 +3x-1");
}

TEST(ResultTile, OfAPadHasItsEdgesAndHoles) {
  const std::string x = "x = f32[6] parameter(0)\nz = f32[] parameter(1)\n";
  EXPECT_EQ(resultOf(x + "ROOT p = f32[11] pad(x, z), padding=2_3", 0, {3}), "d0 + 2 +3x1");
  EXPECT_EQ(resultOf(x + "ROOT p = f32[17] pad(x, z), padding=1_0_2", 0, {3}), "d0 * 3 + 1 +3x3");
}

TEST(ResultTile, OfAReduceLosesWhatIsFolded) {
  EXPECT_EQ(resultOf("x = f32[60,8,6,20] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT m = f32[60,6] reduce(x, z), dimensions={3,1}, to_apply=addf",
                     0, {12, 4, 3, 10}),
            "d0 +12x1, d2 +3x1");
}

TEST(ResultTile, OfAScanIsWholeAlongIt) {
  const std::string scan = R"(sums { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] add(a, b)
  ROOT t = (f32[], f32[]) tuple(c, c) }
ENTRY e { x = f32[6,20] parameter(0)
  z = f32[6] parameter(1)
  ROOT y = (f32[6,20], f32[6]) scan(x, z), dimensions={1}, num_carries=1, to_apply=sums })";
  EXPECT_EQ(resultOf(scan, 0, {2, 20}), "d0 +2x1, 0 +20x1");
  EXPECT_NE(resultOf(scan, 0, {2, 5}).find("has to be all of 20"), std::string::npos);
  EXPECT_NE(resultOf(scan, 1, {2}).find("does not follow"), std::string::npos);
}

TEST(ResultTile, IsRefusedByName) {
  EXPECT_EQ(resultOf("x = f32[8] parameter(0)\nROOT r = f32[2,4] reshape(x)", 0, {2}),
            "%r (reshape): where an element of operand 0 goes does not follow from its index");
}

}  // namespace
}  // namespace hilo
