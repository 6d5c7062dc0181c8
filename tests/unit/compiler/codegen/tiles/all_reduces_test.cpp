// All-reduces in tile programs: each rank gives what the reference gives, in one shot and in two, for every
// type and computation that has a kernel, whatever is done before and after.
#include "core/analysis/tile_program/all_reduce_tiles.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "tests/unit/compiler/codegen/tiles/tiled_runs.h"

namespace hilo {
namespace {

struct Reduced {
  std::string shape, type, by = "add", groups;
  std::string before = "", after = "";  // instructions from p to b, from a to r
  std::string result = "";              // the shape of r; empty: the same
};

// A fusion of `before`, the all-reduce and `after`.
std::string fusionOf(const Reduced& of) {
  const std::string result = of.result.empty() ? of.shape : of.result;
  const std::string reduced = of.before.empty() ? "p" : "b";
  const std::string name = of.after.empty() ? "ROOT r" : "a";
  return fmt::format(R"(by {{ x = {1}[] parameter(0)
  y = {1}[] parameter(1)
  ROOT z = {1}[] {2}(x, y) }}
f {{ p = {0} parameter(0)
  {4}
  {7} = {0} all-reduce({6}), replica_groups={3}, to_apply=by
  {5} }}
ENTRY e {{ p = {0} parameter(0)
  ROOT tiled = {8} fusion(p), kind=kCustom, calls=f }})",
                     of.shape, of.type, of.by, of.groups, of.before, of.after, reduced, name, result);
}

const std::string kGroups[] = {"{{0,1}}", "{{0,1,2,3}}", "{{0,1,2,3,4,5,6,7}}"};

TEST(TileAllReduces, InOneShotForEveryTypeAndComputation) {
  const std::vector<std::string> numeric = {"add", "multiply", "maximum", "minimum"}, logical = {"and", "or"};
  for (const std::string type : {"f32", "bf16", "f64", "s32", "s64", "pred"}) {
    for (const std::string& by : type == "pred" ? logical : numeric)
      expectTiled(fusionOf({.shape = type + "[20,33]", .type = type, .by = by, .groups = kGroups[1]}),
                  {8, 16});
  }
}

// By the tiles that XLA takes for them.
TEST(TileAllReduces, ByTilesThatXlaTakes) {
  for (const std::string type : {"f32[65536]", "bf16[200,100]", "pred[200,64]", "f32[131072]"}) {
    const std::string element = type.substr(0, type.find('['));
    const std::string text = fusionOf(
        {.shape = type, .type = element, .by = element == "pred" ? "or" : "add", .groups = kGroups[0]});
    const auto tiles = allReduceTilesOf(*moduleOf(text)->entry()->root());
    ASSERT_TRUE(tiles) << type;
    expectTiled(text, tiles->sizes);
  }
}

TEST(TileAllReduces, OfTwoFourAndEightRanks) {
  for (const std::string& groups : kGroups) {
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{8, 48}, {5, 7}, {64, 48}})
      expectTiled(fusionOf({.shape = "f32[64,48]", .type = "f32", .groups = groups}), sizes);
    // 270,000 bytes, of which tiles reach past the end.
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{64, 450}, {4, 128}, {2, 12}})
      expectTiled(fusionOf({.shape = "bf16[300,450]", .type = "bf16", .groups = groups}), sizes);
  }
}

TEST(TileAllReduces, InTwoShotsForOtherComputationsAndLayouts) {
  expectTiled(fusionOf({.shape = "s32[300,300]{0,1}", .type = "s32", .groups = kGroups[1]}), {32, 64});
  expectTiled(fusionOf({.shape = "f32[70000]", .type = "f32", .by = "maximum", .groups = kGroups[2]}),
              {4096});
  expectTiled(fusionOf({.shape = "pred[600,600]", .type = "pred", .by = "or", .groups = kGroups[0]}),
              {16, 600});
}

// Ranks are counted as the groups have them, and each group is by itself.
TEST(TileAllReduces, OfSeveralGroups) {
  for (const std::string groups : {"{{0,2},{1,3}}", "{{3,1},{0,2}}", "[2,4]<=[8]", "{{0},{1}}"}) {
    expectTiled(fusionOf({.shape = "f32[40,40]", .type = "f32", .groups = groups}), {16, 16});
    expectTiled(fusionOf({.shape = "f32[300,300]", .type = "f32", .groups = groups}), {32, 32});
  }
}

TEST(TileAllReduces, AmongOtherInstructions) {
  for (const std::string rows : {"24", "1024"}) {
    const std::string shape = "f32[" + rows + ",96]";
    expectTiled(fusionOf({.shape = shape,
                          .type = "f32",
                          .groups = kGroups[0],
                          .before = "b = " + shape + " exponential(p)",
                          .after = "n = " + shape + " negate(a)\nROOT r = " + shape + " multiply(n, p)"}),
                {8, 32});
    expectTiled(fusionOf({.shape = shape,
                          .type = "f32",
                          .groups = kGroups[1],
                          .after = "z = f32[] constant(0)\nROOT r = f32[" + rows +
                                   "] reduce(a, z), dimensions={1}, to_apply=addf",
                          .result = "f32[" + rows + "]"}),
                {8, 96});
    expectTiled(fusionOf({.shape = shape,
                          .type = "f32",
                          .groups = kGroups[0],
                          .after = "ROOT r = f32[96," + rows + "] transpose(a), dimensions={1,0}",
                          .result = "f32[96," + rows + "]"}),
                {16, 8});
  }
}

std::string refusal(const Reduced& of, const std::vector<int64_t>& sizes) {
  const auto module = moduleWithReducers(fusionOf(of));
  const auto tiled = tiledFusion(*module->entry()->root(), sizes);
  return tiled ? "" : tiled.error().kind + ": " + tiled.error().message;
}

TEST(TileAllReduces, AreRefusedByName) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Reduced of{.shape = "f32[1024,256]", .type = "f32", .groups = "{}"};
  has(refusal(of, {64, 64}), "replica_groups have to be written");
  of.groups = "{{0,1,2}}";
  has(refusal(of, {64, 64}), "it is of 3 devices");
  of.groups = "{{0,1},{2}}";
  has(refusal(of, {64, 64}), "need different kernels");
  of.groups = kGroups[2];
  EXPECT_EQ(refusal(of, {64, 64}), "");
  has(refusal(of, {3, 7}), "8 ranks do not divide the 21 elements of its tile");
  of.by = "divide";
  has(refusal(of, {64, 64}), "no kernel combines f32 by by");
  has(refusal({.shape = "f16[64]", .type = "f16", .groups = kGroups[0]}, {64}), "no kernel combines f16");
  has(refusal({.shape = "f32[1024,1025]", .type = "f32", .groups = kGroups[0]}, {64, 64}),
      "a kernel of 4194304");
  const Reduced stepped{.shape = "f32[16,64]",
                        .type = "f32",
                        .groups = kGroups[0],
                        .after =
                            "z = f32[] constant(0)\nROOT r = f32[16] reduce(a, z), dimensions={1}, "
                            "to_apply=addf",
                        .result = "f32[16]"};
  has(refusal(stepped, {8, 16}), "it is folded in steps");
}

// What ranks read of each other is known to the checks of the simulated GPU: they find nothing.
TEST(TileAllReduces, PassTheChecksOfTheSimulatedGpu) {
  for (const std::string shape : {"f32[40,40]", "f32[300,300]"}) {
    const auto module = moduleWithReducers(fusionOf({.shape = shape, .type = "f32", .groups = kGroups[1]}));
    const auto tiled = tiledModule(*module->entry()->root(), std::vector<int64_t>{32, 32});
    ASSERT_TRUE(tiled) << toString(tiled.error());
    const auto run =
        execute({.module = *tiled, .engine = "cuda-sim:no-passes", .checks = {.isChecked = true}}, {});
    ASSERT_TRUE(run) << toString(run.error());
    EXPECT_EQ(run->devices, 4);
    EXPECT_TRUE(run->findings.empty()) << toString(run->findings[0]);
  }
}

}  // namespace
}  // namespace hilo
