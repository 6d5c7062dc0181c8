// What an estimate of loops on a core counts, against numbers worked out by hand; which tilings it prefers.
#include "core/analysis/tiling/core_estimate.h"

#include <gtest/gtest.h>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

class CoreEstimateTest : public testing::Test {
 protected:
  void tile(const std::string& body) {
    module_ = moduleWithReducers(body);
    space_ = *tilingSpace(*module_->entry()->root());
  }
  CoreEstimate of(const Sizes& sizes) { return estimateOnCore(space_, *tilingWith(space_, sizes), {}); }

  std::shared_ptr<const Module> module_;
  TilingSpace space_;
};

constexpr double kMegabyte = 1 << 20;

// Both arrays once, whatever the rows: they are read in lines.
TEST_F(CoreEstimateTest, ReadsAndWritesOnce) {
  tile("p = f32[1024,1024] parameter(0)\nROOT n = f32[1024,1024] negate(p)");
  for (const Sizes& sizes : {Sizes{1, 1024}, Sizes{8, 1024}, Sizes{1024, 1024}}) {
    EXPECT_EQ(of(sizes).nearBytes, 8 * kMegabyte);
    EXPECT_EQ(of(sizes).scatteredNs, 0);
  }
  // A column at a time: lines of rows 4 KiB apart fall on the same places of the first cache, which has 8.
  EXPECT_EQ(of({1024, 1}).nearBytes, 2 * 64 * kMegabyte);
  EXPECT_GT(of({1024, 1}).ns, 4 * of({8, 1024}).ns);
}

// Rows of the result are columns of the operand: lines of four columns stay from row to row, of 1024 none do.
TEST_F(CoreEstimateTest, KeepsLinesOfFewColumns) {
  tile("p = f32[1024,1024] parameter(0)\nROOT t = f32[1024,1024] transpose(p), dimensions={1,0}");
  EXPECT_LT(of({64, 4}).ns, of({1024, 1024}).ns);
  EXPECT_LT(of({64, 4}).ns, of({1, 1}).ns);
  EXPECT_LT(of({64, 4}).nearBytes, of({1024, 1024}).nearBytes);
}

TEST_F(CoreEstimateTest, LongRunsTakeFewerTurns) {
  tile(
      "a = f32[1024,256] parameter(0)\nb = f32[256,1024] parameter(1)\n"
      "ROOT d = f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  EXPECT_LT(of({64, 256, 64}).computeNs, of({64, 16, 64}).computeNs);
  const auto ranked = rankOnCore(space_, {});
  ASSERT_FALSE(ranked.empty());
  for (size_t i = 1; i < ranked.size(); ++i) EXPECT_LE(ranked[i - 1].estimate.ns, ranked[i].estimate.ns);
  EXPECT_GE(ranked[0].sizes[1], 64);
}

// An exponential takes about ten instructions where an addition takes one, in the same loops; those of an arc
// sine, which is a call for each element, about thirty times the lanes.
TEST_F(CoreEstimateTest, FunctionsCostMore) {
  tile("p = f32[64,1024] parameter(0)\nROOT n = f32[64,1024] negate(p)");
  const double plain = of({8, 1024}).computeNs;
  tile("p = f32[64,1024] parameter(0)\nROOT n = f32[64,1024] exponential(p)");
  const double exponential = of({8, 1024}).computeNs;
  tile("p = f32[64,1024] parameter(0)\nROOT n = f32[64,1024] asin(p)");
  const double arcSine = of({8, 1024}).computeNs;
  const double steps = 64 * 1024 / 4, cycleNs = 1 / 3.0;
  EXPECT_NEAR(exponential - plain, steps * (0.4 * 3 * 8 - 1) * cycleNs, 1);
  EXPECT_NEAR(arcSine - plain, steps * (10 * 3 * 4 - 1) * cycleNs, 1);
}

// The sum of a row is folded once for all elements of the row that are in the tile, and again in the next.
TEST_F(CoreEstimateTest, FoldsAreDoneOnceATile) {
  tile(R"(f { p = f32[64,1024] parameter(0)
  z = f32[] constant(0)
  s = f32[64] reduce(p, z), dimensions={1}, to_apply=addf
  b = f32[64,1024] broadcast(s), dimensions={0}
  ROOT d = f32[64,1024] subtract(p, b) }
ENTRY e { p = f32[64,1024] parameter(0)
  ROOT g = f32[64,1024] fusion(p), kind=kLoop, calls=f })");
  const double cycleNs = 1 / 3.0, steps = 64 * 1024 / 4;
  EXPECT_NEAR(of({8, 1024, 1024}).computeNs, (2 * steps + 64 * 3 + 8 * 20) * cycleNs, 1);
  EXPECT_NEAR(of({8, 512, 1024}).computeNs, (3 * steps + 128 * 3 + 16 * 20) * cycleNs, 1);
}

TEST_F(CoreEstimateTest, OfScalarsIsShort) {
  tile("p = f32[] parameter(0)\nROOT n = f32[] negate(p)");
  EXPECT_LT(of({}).ns, 10);
}

}  // namespace
}  // namespace hilo
