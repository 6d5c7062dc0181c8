// dynamic-update-slice in place.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

TEST(GpuUpdate, WritesOnlyWhatIsNew) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[50,64] parameter(0)
    u = f32[2,64] parameter(1)
    i = s32[] parameter(2)
    zero = s32[] constant(0)
    n = f32[50,64] negate(p)
    ROOT r = f32[50,64] dynamic-update-slice(n, u, i, zero))"));
  ASSERT_EQ(done.ptx.size(), 2u);
  EXPECT_EQ(done.counters[1].threads, 128u);
}

TEST(GpuUpdate, OfAFusionWithWhatIsWritten) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = f32[50,64] parameter(0)
  u = f32[2,64] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  old = f32[2,64] dynamic-slice(p, i, zero), dynamic_slice_sizes={2,64}
  s = f32[2,64] add(old, u)
  ROOT r = f32[50,64] dynamic-update-slice(p, s, i, zero) }
ENTRY e { p = f32[50,64] parameter(0)
  u = f32[2,64] parameter(1)
  i = s32[] parameter(2)
  n = f32[50,64] negate(p)
  ROOT r = f32[50,64] fusion(n, u, i), kind=kLoop, calls=f })"));
  ASSERT_EQ(done.ptx.size(), 2u);
  EXPECT_EQ(done.counters[1].threads, 128u);
}

}  // namespace
}  // namespace hilo
