// What an estimate of a tiling counts, against numbers worked out by hand, and which tilings it prefers.
#include "core/analysis/tiling/tiling_estimate.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/processor_limits.h"
#include "core/analysis/tiling/tile_traffic.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

class TilingEstimateTest : public testing::Test {
 protected:
  // Of the root of an entry of this body.
  void tile(const std::string& body) {
    module_ = moduleWithReducers(body);
    space_ = *tilingSpace(*module_->entry()->root());
  }
  Result<TilingEstimate> of(const Sizes& sizes, LaunchOrder order = LaunchOrder::kRowMajor) {
    return estimateTiling(space_, *tilingWith(space_, sizes), device_, {.order = order});
  }
  std::shared_ptr<const Module> module_;
  TilingSpace space_;
  DeviceDescription device_ = *findDevice("h100");
};

constexpr auto kNegate = "p = f32[1024,1024] parameter(0)\nROOT n = f32[1024,1024] negate(p)";

// A row of 4 KiB is 128 whole sectors; a column has a sector of 32 bytes for each 4.
TEST_F(TilingEstimateTest, CountsSectors) {
  tile(kNegate);
  const auto row = of({1, 1024}), column = of({1024, 1});
  EXPECT_EQ(row->coalesced, 1);
  EXPECT_EQ(row->memoryBytes, 2 * 4 * 1024 * 1024);
  EXPECT_EQ(column->coalesced, 0.125);
  EXPECT_EQ(column->l2Bytes, 8 * row->l2Bytes);
  EXPECT_GT(column->ns, row->ns);
  tile("p = f32[1024,1024]{0,1} parameter(0)\nROOT n = f32[1024,1024]{0,1} negate(p)");
  EXPECT_EQ(of({1024, 1})->coalesced, 1);
}

// 16 blocks read 64 rows and 64 columns of 256 bf16 each, 64 KiB a block; L2 holds both arrays.
TEST_F(TilingEstimateTest, CountsWhatBlocksReadInCommon) {
  tile(
      "a = bf16[256,256] parameter(0)\nb = bf16[256,256] parameter(1)\n"
      "ROOT d = bf16[256,256] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const auto e = of({64, 64, 64});
  EXPECT_EQ(e->blocks, 16);
  EXPECT_EQ(e->l2Bytes, 16 * 65536 + 131072);
  EXPECT_EQ(e->memoryBytes, 3 * 131072);
  EXPECT_EQ(e->reusedInL2, 0.75);
  EXPECT_EQ(e->tensorFlops, 2.0 * 256 * 256 * 256);
  EXPECT_EQ(e->sharedBytes, 2 * (64 + 64) * 64 * 2);
  EXPECT_EQ(of({8, 64, 64})->tensorFlops, 0) << "8 rows are fewer than tensor cores take";
}

TEST_F(TilingEstimateTest, RefusesWhatTheGpuCannotHold) {
  tile(
      "a = f32[1024,1024] parameter(0)\nb = f32[1024,1024] parameter(1)\n"
      "ROOT d = f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const auto e = of({512, 512, 64});
  ASSERT_FALSE(e.has_value());
  EXPECT_EQ(e.error().kind, "too-large");
  EXPECT_EQ(e.error().message, "a block needs 524288 bytes of shared memory, the GPU has 232448");
  const auto limits = limitsOf("10.0");
  const auto held =
      blocksHeld({.threads = 128, .registersOfThread = 64, .tensorMemoryColumns = 513}, *limits);
  ASSERT_FALSE(held.has_value());
  EXPECT_EQ(held.error().message, "a block needs 513 columns of tensor memory, the GPU has 512");
  EXPECT_EQ(limitsOf("").error().kind, "unknown-gpu");
}

// A processor of sm_90 has 65536 registers, 2048 threads and 32 blocks.
TEST_F(TilingEstimateTest, CountsBlocksThatAProcessorHolds) {
  const auto limits = *limitsOf("9.0");
  EXPECT_EQ(*blocksHeld({.threads = 256, .registersOfThread = 32}, limits), 8);
  EXPECT_EQ(*blocksHeld({.threads = 256, .registersOfThread = 128}, limits), 2);
  EXPECT_EQ(*blocksHeld({.threads = 32, .registersOfThread = 16}, limits), 32);
  EXPECT_EQ(*blocksHeld({.threads = 32, .registersOfThread = 16, .sharedBytes = 100 * 1024}, limits), 2);
}

// The first four of 16 by 16 tiles lie in one row; by groups of eight rows they lie in one column.
TEST_F(TilingEstimateTest, LaunchOrdersShareOtherTiles) {
  const Sizes counts = {16, 16};
  const std::vector<size_t> rows = {0}, columns = {1};
  EXPECT_EQ(differentTiles(counts, LaunchOrder::kRowMajor, rows, 0, 4), 1);
  EXPECT_EQ(differentTiles(counts, LaunchOrder::kRowMajor, columns, 0, 4), 4);
  EXPECT_EQ(differentTiles(counts, LaunchOrder::kGrouped, rows, 0, 4), 4);
  EXPECT_EQ(differentTiles(counts, LaunchOrder::kGrouped, columns, 0, 4), 1);
  EXPECT_EQ(differentTiles(counts, LaunchOrder::kGrouped, std::vector<size_t>{0, 1}, 0, 4), 4);
  EXPECT_EQ(differentTiles(Sizes{1, 16}, LaunchOrder::kRowMajor, columns, 2, 8), 8);
}

// 512 MiB an operand are more than L2: groups of rows read less from memory than rows.
TEST_F(TilingEstimateTest, GroupsKeepBothSidesOfALargeDotInL2) {
  tile(
      "a = bf16[16384,16384] parameter(0)\nb = bf16[16384,16384] parameter(1)\n"
      "ROOT d = bf16[16384,16384] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  EXPECT_LT(of({128, 128, 64}, LaunchOrder::kGrouped)->memoryBytes, of({128, 128, 64})->memoryBytes);
  EXPECT_STREQ(of({128, 128, 64}, LaunchOrder::kGrouped)->bound, "arithmetic");
}

TEST_F(TilingEstimateTest, RanksSquaresOfATransposeFirst) {
  tile("p = f32[4096,4096] parameter(0)\nROOT t = f32[4096,4096] transpose(p), dimensions={1,0}");
  const auto ranked = rankTilings(space_, device_);
  ASSERT_TRUE(ranked.has_value());
  const Sizes& best = ranked->front().sizes;
  EXPECT_GE(std::min(best[0], best[1]), 8) << "of fewer the sectors of one side are read several times";
  EXPECT_EQ(ranked->size(), 13u * 13u);
  for (size_t i = 1; i < ranked->size(); ++i) {
    if (!(*ranked)[i].refusal.empty()) continue;
    EXPECT_LE((*ranked)[i - 1].estimate.ns, (*ranked)[i].estimate.ns);
  }
}

TEST_F(TilingEstimateTest, NoGpuIsAnError) {
  tile(kNegate);
  device_ = *findDevice("xeon_8480");
  EXPECT_EQ(rankTilings(space_, device_).error().kind, "unknown-gpu");
}

}  // namespace
}  // namespace hilo
