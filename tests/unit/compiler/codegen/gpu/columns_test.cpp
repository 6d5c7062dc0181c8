// Reductions that leave the fastest varying dimension.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

TEST(GpuColumns, WarpsShareTheLines) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[100,96] parameter(0)
    zero = s32[] constant(7)
    ROOT r = s32[96] reduce(p, zero), dimensions={0}, to_apply=add)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "bar.sync") || done.has(0, "barrier.sync"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
  // 32 lanes read 128 bytes: four sectors, each once; then the results.
  EXPECT_EQ(done.counters[0].globalSectors, 100u * 96 * 4 / 32 + 96 * 4 / 32);
}

TEST(GpuColumns, FewColumnsOfManyLinesAreFoldedInParts) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[5000,40] parameter(0)
    zero = s32[] constant(7)
    ROOT r = s32[40] reduce(p, zero), dimensions={0}, to_apply=add)"));
  ASSERT_EQ(done.ptx.size(), 2u);
  EXPECT_GT(done.counters[0].threads, done.counters[1].threads);
}

TEST(GpuColumns, ManyColumnsAreReadInVectors) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[20,40000] parameter(0)
    zero = s32[] constant(0)
    ROOT r = s32[40000] reduce(p, zero), dimensions={0}, to_apply=max)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "ld.global.nc.v4.b32"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
}

TEST(GpuColumns, DimensionsOnBothSidesStay) {
  (void)expectChecked(moduleWithReducers(R"(p = f32[6,50,33] parameter(0)
    zero = f32[] constant(0)
    ROOT r = f32[6,33] reduce(p, zero), dimensions={1}, to_apply=addf)"),
                      1e-5);
}

TEST(GpuColumns, SeveralSumsAndAMean) {
  const auto done = expectChecked(moduleWithReducers(R"(both { p = f32[64,50] parameter(0)
  zero = f32[] constant(0)
  q = f32[64,50] multiply(p, p)
  n = f32[] constant(64)
  nb = f32[50] broadcast(n), dimensions={}
  a = f32[50] reduce(p, zero), dimensions={0}, to_apply=addf
  b = f32[50] reduce(q, zero), dimensions={0}, to_apply=addf
  m = f32[50] divide(a, nb)
  ROOT t = (f32[50], f32[50]) tuple(m, b) }
ENTRY e { p = f32[64,50] parameter(0)
  ROOT f = (f32[50], f32[50]) fusion(p), kind=kInput, calls=both })"),
                                  1e-4);
  ASSERT_EQ(done.ptx.size(), 1u);
}

}  // namespace
}  // namespace hilo
