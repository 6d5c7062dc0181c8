// Cumulative sums and the like.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

TEST(GpuCumulative, ABlockDoesALine) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[3,700] parameter(0)
    zero = s32[] constant(4)
    ROOT r = s32[3,700] reduce-window(p, zero), window={size=1x700 pad=0_0x699_0}, to_apply=add)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "shfl.sync.up.b32"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
  EXPECT_EQ(done.counters[0].threads, 3u * 256);
}

TEST(GpuCumulative, FromTheEndAndOfFloats) {
  (void)expectChecked(moduleWithReducers(R"(p = f32[2,300] parameter(0)
    zero = f32[] constant(0)
    ROOT r = f32[2,300] reduce-window(p, zero), window={size=1x300 pad=0_0x0_299}, to_apply=addf)"),
                      1e-4);
}

TEST(GpuCumulative, AThreadDoesALineBesideTheNeighbours) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[50,64] parameter(0)
    zero = s32[] constant(0)
    ROOT r = s32[50,64] reduce-window(p, zero), window={size=50x1 pad=49_0x0_0}, to_apply=max)"));
  EXPECT_FALSE(done.has(0, "shfl"));
  EXPECT_EQ(done.counters[0].globalSectors, 2u * 50 * 64 * 4 / 32);
}

}  // namespace
}  // namespace hilo
