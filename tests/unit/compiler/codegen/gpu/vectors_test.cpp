// Elements side by side that a thread reads and writes at once.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

TEST(GpuVectors, ReadAndWrite16Bytes) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[10,100] parameter(0)
    q = f32[10,100] parameter(1)
    ROOT r = f32[10,100] add(p, q))"));
  EXPECT_TRUE(done.has(0, "ld.global.nc.v4.b32"));
  EXPECT_TRUE(done.has(0, "st.global.v4.b32"));
  EXPECT_EQ(done.counters[0].globalSectors, 3u * 1000 * 4 / 32);
  EXPECT_EQ(done.counters[0].globalAccesses, 3u * 8);  // 250 threads are 8 warps
}

TEST(GpuVectors, NarrowElementsAreMore) {
  const auto done = expectChecked(moduleWithReducers(R"(p = u8[512] parameter(0)
    ROOT r = u8[512] not(p))"));
  EXPECT_TRUE(done.has(0, "ld.global.nc.v4.b32") || done.has(0, "ld.global.nc.v2.b64")) << done.ptx[0];
}

TEST(GpuVectors, ALineIsBroadcastInVectors) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = f32[64] parameter(0)
  q = f32[30,64] parameter(1)
  b = f32[30,64] broadcast(p), dimensions={1}
  ROOT r = f32[30,64] multiply(b, q) }
ENTRY e { p = f32[64] parameter(0)
  q = f32[30,64] parameter(1)
  ROOT r = f32[30,64] fusion(p, q), kind=kLoop, calls=f })"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "st.global.v4.b32"));
  EXPECT_EQ(done.counters[0].globalAccesses, 3u * 15);
}

TEST(GpuVectors, SizesThatAreNoMultipleGoOneByOne) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[7,9] parameter(0)
    ROOT r = f32[7,9] negate(p))"));
  EXPECT_FALSE(done.has(0, "v4"));
}

TEST(GpuVectors, OfSlicesPadsAndConcatenates) {
  (void)expectChecked(moduleWithReducers(R"(p = f32[10,64] parameter(0)
    two = f32[] constant(2)
    s = f32[5,32] slice(p), slice={[2:7],[3:35]}
    d = f32[9,40] pad(s, two), padding=1_3x0_8
    ROOT c = f32[9,80] concatenate(d, d), dimensions={1})"));
}

// As embeddings are looked up: a warp a row, whose number all lanes read from one place. Elements side by
// side are 16 bytes of the widest array, which is that of numbers.
TEST(GpuVectors, RowsAreGatheredInVectors) {
  const auto done = expectChecked(moduleWithReducers(R"(table = bf16[500,128] parameter(0)
    ids = s32[37] parameter(1)
    ROOT g = bf16[37,128] gather(table, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=1, slice_sizes={1,128})"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "ld.global.nc.v2.b32")) << done.ptx[0];
  EXPECT_TRUE(done.has(0, "st.global.v2.b32"));
  EXPECT_LE(done.counters[0].globalSectors, 2u * 37 * 128 * 2 / 32 + 2 * 37);
}

}  // namespace
}  // namespace hilo
