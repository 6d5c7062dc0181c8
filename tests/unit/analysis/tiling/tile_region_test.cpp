// What one tile reads, in numbers worked out by hand.
#include "core/analysis/tiling/tile_region.h"

#include <gtest/gtest.h>

#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

struct Regions {
  std::shared_ptr<Module> module;
  TilingSpace space;
  FusionTiling tiling;
  std::vector<TileRegion> of(std::vector<int64_t> tile) const { return regionsOf(space, tiling, tile); }
};

Regions regionsFor(const std::string& body, std::vector<int64_t> sizes) {
  Regions out{.module = moduleWithReducers(body)};
  auto space = tilingSpace(*out.module->entry()->root());
  if (!space) ADD_FAILURE() << space.error().message;
  out.space = *std::move(space);
  auto tiling = tilingWith(out.space, sizes);
  if (!tiling) ADD_FAILURE() << tiling.error().message;
  out.tiling = *std::move(tiling);
  return out;
}

TEST(TileRegion, OfADotSweepsWhatIsFolded) {
  const Regions dot = regionsFor(
      "a = f32[64,40] parameter(0)\nb = f32[40,48] parameter(1)\n"
      "ROOT r = f32[64,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      {16, 12, 8});
  EXPECT_EQ(tileCounts(dot.space, dot.tiling), (std::vector<int64_t>{4, 4}));
  const auto regions = dot.of({2, 3});
  const RegionDimension row = regions[0].dimensions[0], folded = regions[0].dimensions[1];
  EXPECT_EQ(row.low(), 32);
  EXPECT_EQ(row.high(), 47);
  EXPECT_EQ(row.sweptHigh, 47);
  EXPECT_EQ(folded.high(), 7);
  EXPECT_EQ(folded.sweptLow, 0);
  EXPECT_EQ(folded.sweptHigh, 39);
  EXPECT_EQ(regions[1].dimensions[1].first, 36);
  EXPECT_EQ(regions[0].elements(), 128);
}

TEST(TileRegion, CountsWhatIsMasked) {
  const Regions pad = regionsFor(
      "p = s32[5,10] parameter(0)\nz = s32[] constant(0)\nROOT r = s32[8,12] pad(p, z), padding=2_1x0_2",
      {4, 8});
  EXPECT_EQ(pad.of({0, 0})[0].inside(), 2 * 8);
  EXPECT_EQ(pad.of({1, 1})[0].inside(), 3 * 2);
  EXPECT_EQ(pad.of({1, 1})[0].elements(), 32);
}

TEST(TileRegion, OfAReverseAndASliceHaveStrides) {
  const Regions reversed =
      regionsFor("p = s32[10] parameter(0)\nROOT r = s32[10] reverse(p), dimensions={0}", {4});
  const RegionDimension last = reversed.of({2})[0].dimensions[0];
  EXPECT_EQ(last.first, 1);
  EXPECT_EQ(last.low(), -2);
  EXPECT_EQ(last.inside(), 2);
  const Regions sliced =
      regionsFor("p = s32[20] parameter(0)\nROOT r = s32[6] slice(p), slice={[2:20:3]}", {4});
  EXPECT_EQ(sliced.of({1})[0].dimensions[0].first, 14);
  EXPECT_EQ(sliced.of({1})[0].inside(), 2);
}

TEST(TileRegion, OfAnotherOperandIsNotRead) {
  const Regions joined = regionsFor(
      "p = s32[8] parameter(0)\nq = s32[8] parameter(1)\nROOT r = s32[16] concatenate(p, q), dimensions={0}",
      {8});
  EXPECT_TRUE(joined.of({0})[0].isRead);
  EXPECT_FALSE(joined.of({0})[1].isRead);
  EXPECT_TRUE(joined.of({1})[1].isRead);
}

TEST(TileRegion, OfWhatIsReadAtRunTimeIsNotKnown) {
  const Regions slice = regionsFor(
      "p = s32[64] parameter(0)\ni = s32[] parameter(1)\n"
      "ROOT r = s32[16] dynamic-slice(p, i), dynamic_slice_sizes={16}",
      {4});
  EXPECT_FALSE(slice.of({1})[0].isPlaceKnown);
  EXPECT_TRUE(slice.of({1}).back().isPlaceKnown);
}

}  // namespace
}  // namespace hilo
