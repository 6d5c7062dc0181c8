// How an all-reduce is cut into tiles: as XLA cuts the same arrays.
#include "core/analysis/tile_program/all_reduce_tiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

std::shared_ptr<Module> reducing(const std::string& shape, const std::string& groups = "{{0,1}}") {
  const std::string type = shape.substr(0, shape.find('['));
  return moduleOf(fmt::format(R"(
by {{ x = {0}[] parameter(0)
  y = {0}[] parameter(1)
  ROOT z = {0}[] {1}(x, y) }}
f {{ p = {2} parameter(0)
  ROOT a = {2} all-reduce(p), replica_groups={3}, to_apply=by }}
ENTRY e {{ p = {2} parameter(0)
  ROOT g = {2} fusion(p), kind=kLoop, calls=f }})",
                              type, type == "pred" ? "or" : "add", shape, groups));
}

std::optional<AllReduceTiles> tilesOf(const std::string& shape, const std::string& groups = "{{0,1}}") {
  const auto module = reducing(shape, groups);
  return allReduceTilesOf(*module->entry()->root());
}

std::vector<int64_t> cut(const std::string& shape, int64_t most) {
  const auto module = reducing(shape);
  return powerOfTwoTiles(module->entry()->root()->shape(), most);
}

TEST(AllReduceTiles, AreAsManyAsBlocksOfTheKernel) {
  const auto tiles = tilesOf("f32[65536]");
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->blocks, 32);
  EXPECT_EQ(tiles->threadsOfBlock, 512);
  EXPECT_EQ(tiles->sizes, std::vector<int64_t>{2048});
}

// 20,000 elements are of 10 blocks, of which 8 cut the 200 by 32.
TEST(AllReduceTiles, AreCutAlongTheMajorDimension) {
  EXPECT_EQ(tilesOf("f32[200,100]")->sizes, (std::vector<int64_t>{32, 128}));
  EXPECT_EQ(tilesOf("f32[1040]")->sizes, std::vector<int64_t>{2048});
}

TEST(AllReduceTiles, ReachPastTheEndWhereTheyMust) {
  EXPECT_EQ(cut("f32[1024,1024]", 16), (std::vector<int64_t>{64, 1024}));
  EXPECT_EQ(cut("bf16[16,3072,2,8]{1,3,0,2}", 32), (std::vector<int64_t>{1, 4096, 1, 8}));
  EXPECT_EQ(cut("bf16[2,5,1024]", 32), (std::vector<int64_t>{1, 2, 256}));
}

// 70,000 elements of which each rank reduces half.
TEST(AllReduceTiles, OfTwoShotsAreOfWhatOneRankReduces) {
  const auto tiles = tilesOf("f32[70000]");
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->blocks, 18);
  EXPECT_EQ(tiles->sizes, std::vector<int64_t>{8192});
}

TEST(AllReduceTiles, AreNoneWithoutGroupsOrForManyBytes) {
  EXPECT_FALSE(tilesOf("f32[65536]", "{}"));
  EXPECT_FALSE(tilesOf("f32[4194304]"));
}

}  // namespace
}  // namespace hilo
