// Windows that overlap: what those of a tile cover is read once.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

struct WindowCase {
  const char *name, *text;
};

class GpuWindows : public testing::TestWithParam<WindowCase> {};

TEST_P(GpuWindows, AreReadOnce) {
  const auto counted = expectCounted(moduleWithReducers(GetParam().text), 1e-2);
  EXPECT_TRUE(counted.done.has(0, ".shared")) << counted.done.ptx[0];
  EXPECT_LT(2 * counted.now.globalSectors, counted.byElements.globalSectors);
}

constexpr WindowCase kCases[] = {
    {"poolFeaturesFastest", R"(p = f32[2,20,20,32] parameter(0)
      one = f32[] constant(1)
      ROOT r = f32[2,20,20,32] reduce-window(p, one), window={size=1x3x3x1 pad=0_0x1_1x1_1x0_0}, to_apply=addf)"},
    {"poolSpaceFastest", R"(p = f32[2,8,33,37] parameter(0)
      zero = f32[] constant(0)
      ROOT r = f32[2,8,17,19] reduce-window(p, zero), window={size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1}, to_apply=addf)"},
    {"alongALine", R"(p = s32[5,300] parameter(0)
      zero = s32[] constant(1)
      ROOT r = s32[5,293] reduce-window(p, zero), window={size=1x8}, to_apply=add)"},
    {"depthwise", R"(p = f32[1,18,18,64] parameter(0)
      w = f32[3,3,1,64] parameter(1)
      ROOT c = f32[1,18,18,64] convolution(p, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f,
        feature_group_count=64)"},
    {"depthwiseOfHalves", R"(p = bf16[2,24,21,21] parameter(0)
      w = bf16[24,1,5,5] parameter(1)
      ROOT c = bf16[2,24,11,11] convolution(p, w), window={size=5x5 stride=2x2 pad=2_2x2_2},
        dim_labels=bf01_oi01->bf01, feature_group_count=24)"},
    {"depthwiseAlongALine", R"(p = bf16[2,130,48] parameter(0)
      w = bf16[4,1,48] parameter(1)
      ROOT c = bf16[2,130,48] convolution(p, w), window={size=4 pad=3_0}, dim_labels=b0f_0io->b0f,
        feature_group_count=48)"},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuWindows, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

class GpuWindowTypes : public testing::TestWithParam<const char*> {};

TEST_P(GpuWindowTypes, AreTheEvaluators) {
  const std::string type = GetParam(), zero = type[0] == 'c' ? "(0, 0)" : type == "pred" ? "false" : "0";
  const auto done = expectChecked(
      moduleWithReducers(
          "put { a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n ROOT r = " + type +
          "[] " + (type == "pred" ? "or" : "add") + "(a, b) }\nENTRY e { p = " + type +
          "[7,45] parameter(0)\n z = " + type + "[] constant(" + zero + ")\n ROOT r = " + type +
          "[6,23] reduce-window(p, z), window={size=2x3 stride=1x2 pad=0_0x1_1}, to_apply=put }"),
      1e-2);
  EXPECT_TRUE(done.has(0, ".shared"));
}

INSTANTIATE_TEST_SUITE_P(Types, GpuWindowTypes,
                         testing::Values("pred", "s4", "u8", "s64", "f8e5m2", "bf16", "f16", "f64", "c64",
                                         "c128"),
                         [](const auto& info) { return std::string(info.param); });

TEST(GpuWindowForms, OfSeveralResults) {
  const auto done = expectChecked(moduleWithReducers(R"(arg { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  ge = pred[] compare(a, b), direction=GE
  x = f32[] select(ge, a, b)
  y = s32[] select(ge, i, j)
  ROOT t = (f32[], s32[]) tuple(x, y) }
ENTRY e { p = f32[9,40] parameter(0)
  n = s32[9,40] parameter(1)
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[9,40], s32[9,40]) reduce-window(p, n, low, zero), window={size=3x5 pad=1_1x2_2}, to_apply=arg })"));
  EXPECT_TRUE(done.has(0, ".shared"));
}

// Dilated windows share elements too; an input with holes is read element by element.
TEST(GpuWindowForms, Dilated) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[9,70] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[9,64] reduce-window(p, zero), window={size=1x3 rhs_dilate=1x3}, to_apply=addf)"));
  EXPECT_TRUE(done.has(0, ".shared"));
  const auto holes = expectChecked(moduleWithReducers(R"(p = f32[9,30] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[9,57] reduce-window(p, zero), window={size=1x3 lhs_dilate=1x2}, to_apply=addf)"));
  EXPECT_FALSE(holes.has(0, ".shared"));
}

TEST(GpuWindowForms, WorkBeforeAndAfterIsInTheKernel) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = bf16[6,40] parameter(0)
  q = f32[6,40] convert(p)
  s = f32[6,40] multiply(q, q)
  zero = f32[] constant(0)
  r = f32[6,40] reduce-window(s, zero), window={size=1x5 pad=0_0x2_2}, to_apply=addf
  ROOT t = bf16[6,40] convert(r) }
ENTRY e { p = bf16[6,40] parameter(0)
  ROOT f = bf16[6,40] fusion(p), kind=kLoop, calls=f })"),
                                  1e-2);
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, ".shared"));
}

}  // namespace
}  // namespace hilo
