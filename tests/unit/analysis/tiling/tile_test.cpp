// Tiles of fusions: by hand for each kind of op, refused ones by their words, and all held to an enumeration
// of what the tile's elements read.
#include "core/analysis/tiling/tile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string textOf(const InstructionTile& tile, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const TileDimension& d : tile.dimensions)
    parts.push_back(
        fmt::format("{} +{}x{}{}", d.offset.text(names), d.size, d.stride, d.isMasked ? "?" : ""));
  return "[" + joined(parts) + "]";
}

// The tiles of the root's operands, or of the parameters of its fusion; or why there is no tile.
std::string tilesOf(const std::string& body, std::vector<int64_t> sizes) {
  const auto module = moduleWithReducers(body);
  if (!module) return "no module";
  const auto space = tilingSpace(*module->entry()->root());
  if (!space) return space.error().message;
  const auto tiling = tilingWith(*space, sizes);
  if (!tiling) return tiling.error().message;
  std::vector<std::string> texts;
  for (size_t i = 0; i < space->instructions.size(); ++i) {
    const TiledInstruction& tiled = space->instructions[i];
    if (tiled.operands.empty() && tiled.instruction->shape().rank() > 0)
      texts.push_back(
          fmt::format("{}{}", tiled.instruction->name(), textOf(tiling->tiles[i], space->names())));
  }
  return joined(texts);
}

TEST(Tile, OfWhatMovesData) {
  const std::string p = "p = s32[24,10] parameter(0)\n";
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[24,10] negate(p)", {8, 4}), "p[d0 +8x1, d1 +4x1?]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[10,24] transpose(p), dimensions={1,0}", {5, 4}), "p[d1 +4x1, d0 +5x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[3,24,10] broadcast(p), dimensions={1,2}", {1, 4, 2}),
            "p[d1 +4x1, d2 +2x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[6,4] slice(p), slice={[2:24:4],[3:7]}", {2, 4}),
            "p[d0 * 4 + 2 +2x4, 3 +4x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[24,10] reverse(p), dimensions={1}", {24, 5}),
            "p[0 +24x1, -d1 + 9 +5x-1]");
  EXPECT_EQ(tilesOf(p + "z = s32[] constant(0)\nROOT r = s32[32,10] pad(p, z), padding=3_5x0_0", {8, 10}),
            "p[d0 - 3 +8x1?, 0 +10x1]");
}

// What gives it is not looked into, and its first array has no dimensions.
TEST(Tile, OfAnElementOfATuple) {
  EXPECT_EQ(
      tilesOf("a = f32[6,4] parameter(0)\nc = (s32[], f32[6,4]) custom-call(a), custom_call_target=\"f\" "
              "g = f32[6,4] get-tuple-element(c), index=1 ROOT n = f32[6,4] negate(g)",
              {4, 4}),
      "g[d0 +4x1?, 0 +4x1]");
}

TEST(Tile, OfReshapes) {
  const std::string p = "p = s32[24,10] parameter(0)\n";
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[4,6,10] reshape(p)", {1, 3, 10}), "p[d0 * 6 + d1 +3x1, 0 +10x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[4,6,10] reshape(p)", {2, 6, 10}), "p[d0 * 6 +12x1, 0 +10x1]");
  EXPECT_EQ(
      tilesOf(p + "ROOT r = s32[4,6,10] reshape(p)", {2, 3, 10}),
      "%p (parameter): the values of d0 * 6 + d1 are not evenly apart: 3 with stride 1, then a step of 6");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[240] reshape(p)", {20}), "p[d0 floordiv 10 +2x1, 0 +10x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[240] reshape(p)", {5}), "p[d0 floordiv 10 +1x0, d0 mod 10 +5x1]");
  EXPECT_EQ(tilesOf(p + "ROOT r = s32[240] reshape(p)", {8}),
            "%p (parameter): d0 takes 8 values 1 apart, which multiples of 10 cut: the tile of d0 has to "
            "divide 10 or "
            "to be a multiple of it");
}

TEST(Tile, OfWhatFolds) {
  EXPECT_EQ(tilesOf("a = f32[64,32] parameter(0)\nb = f32[32,48] parameter(1)\n"
                    "ROOT r = f32[64,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                    {16, 8, 4}),
            "a[d0 +16x1, s0 +4x1], b[s0 +4x1, d1 +8x1]");
  EXPECT_EQ(tilesOf("p = f32[6,20] parameter(0)\nz = f32[] constant(0)\n"
                    "ROOT r = f32[6] reduce(p, z), dimensions={1}, to_apply=addf",
                    {2, 20}),
            "p[d0 +2x1, 0 +20x1]");
  EXPECT_EQ(tilesOf("p = f32[22] parameter(0)\nz = f32[] constant(0)\n"
                    "ROOT r = f32[20] reduce-window(p, z), window={size=3}, to_apply=addf",
                    {4, 3}),
            "p[d0 +6x1]");
}

TEST(Tile, OfWhatReadsItsPlace) {
  EXPECT_EQ(tilesOf("p = s32[64,8] parameter(0)\ni = s32[] parameter(1)\nj = s32[] parameter(2)\n"
                    "ROOT r = s32[16,8] dynamic-slice(p, i, j), dynamic_slice_sizes={16,8}",
                    {4, 8}),
            "p[d0 + rt0 +4x1, 0 +8x1]");
}

TEST(Tile, OfAConcatenateLiesInOneOperand) {
  const std::string body =
      "p = s32[8,4] parameter(0)\nq = s32[16,4] parameter(1)\nROOT r = s32[24,4] concatenate(p, q), "
      "dimensions={0}";
  EXPECT_EQ(tilesOf(body, {8, 4}), "p[d0 +8x1?, 0 +4x1], q[d0 - 8 +8x1?, 0 +4x1]");
  EXPECT_EQ(tilesOf(body, {16, 4}),
            "%r (concatenate): a tile of d0 crosses 8, where the next operand begins");
}

TEST(Tile, IsRefusedByName) {
  EXPECT_EQ(
      tilesOf("p = s32[4] parameter(0)\nz = s32[] constant(0)\nROOT r = s32[7] pad(p, z), padding=0_0_1",
              {1}),
      "%r (pad): it pads between elements");
  EXPECT_EQ(tilesOf("p = s32[4] parameter(0)\nROOT r = s32[4] custom-call(p), custom_call_target=\"f\"", {1}),
            "%r (custom-call): which elements it reads does not follow from indices");
  EXPECT_EQ(tilesOf("p = s32[0] parameter(0)\nROOT r = s32[0] negate(p)", {1}),
            "%r (negate): it has no elements");
  EXPECT_EQ(tilesOf("p = s32[4] parameter(0)\nROOT r = s32[4] negate(p)", {1, 1}),
            "2 tile sizes are given, 1 dimensions have tiles");
  EXPECT_EQ(tilesOf("p = s32[4] parameter(0)\nROOT r = s32[4] negate(p)", {0}),
            "a tile size is 0: it has to be 1 or more");
}

}  // namespace
}  // namespace hilo
