// Reductions of rows: by the lanes of a warp, by a block, in parts, several at once; softmax as one kernel.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

// Sectors of 32 bytes that hold so many bytes.
uint64_t sectorsOf(uint64_t bytes) { return (bytes + 31) / 32; }

TEST(GpuRows, AWarpFoldsARow) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[37,100] parameter(0)
    zero = s32[] constant(3)
    ROOT r = s32[37] reduce(p, zero), dimensions={1}, to_apply=add)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "shfl.sync.down.b32"));
  EXPECT_TRUE(done.has(0, "ld.global.nc.v4.b32"));
  EXPECT_FALSE(done.has(0, "bar.sync"));
  // Rows begin within a sector; rows past the last are read once more by the threads that wait for it.
  EXPECT_LE(done.counters[0].globalSectors, 40 * (sectorsOf(100 * 4) + 1) + 40);
}

TEST(GpuRows, ABlockFoldsALongRow) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[300,2048] parameter(0)
    zero = s32[] constant(0)
    ROOT r = s32[300] reduce(p, zero), dimensions={1}, to_apply=max)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, ".shared"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
  EXPECT_LE(done.counters[0].globalSectors, sectorsOf(300 * 2048 * 4) + 300);
}

TEST(GpuRows, OneLongRowIsFoldedInParts) {
  const auto done = expectChecked(moduleWithReducers(R"(p = s32[100003] parameter(0)
    zero = s32[] constant(5)
    ROOT r = s32[] reduce(p, zero), dimensions={0}, to_apply=add)"));
  ASSERT_EQ(done.ptx.size(), 2u);
  EXPECT_GT(done.counters[0].threads, 256u);
  EXPECT_LE(done.counters[1].threads, 256u);
}

// A sum of floats is rounded once.
TEST(GpuRows, FoldedDimensionsNeedNotLieTogether) {
  (void)expectChecked(moduleWithReducers(R"(p = f32[5,33,6]{2,0,1} parameter(0)
    zero = f32[] constant(1)
    ROOT r = f32[33] reduce(p, zero), dimensions={0,2}, to_apply=addf)"),
                      1e-6);
}

TEST(GpuRows, AnUnknownOperationKeepsItsOrder) {
  const auto done = expectChecked(moduleWithReducers(R"(last { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] copy(b) }
ENTRY e { p = s32[9,77] parameter(0)
  zero = s32[] constant(0)
  ROOT r = s32[9] reduce(p, zero), dimensions={1}, to_apply=last })"));
  EXPECT_TRUE(done.has(0, "shfl.sync.down.b32"));
}

TEST(GpuRows, OfSeveralResults) {
  const auto done = expectChecked(moduleWithReducers(R"(arg { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  ge = pred[] compare(a, b), direction=GE
  x = f32[] select(ge, a, b)
  y = s32[] select(ge, i, j)
  ROOT t = (f32[], s32[]) tuple(x, y) }
ENTRY e { p = f32[20,90] parameter(0)
  n = s32[20,90] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[20], s32[20]) reduce(p, n, low, zero), dimensions={1}, to_apply=arg })"));
  ASSERT_EQ(done.ptx.size(), 2u);
  EXPECT_TRUE(done.has(1, "shfl.sync.down.b32"));
}

constexpr const char* kSoftmax = R"(largest { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
softmax { p = f32[ROWS,LENGTH] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[ROWS] reduce(p, low), dimensions={1}, to_apply=largest
  mb = f32[ROWS,LENGTH] broadcast(m), dimensions={0}
  s = f32[ROWS,LENGTH] subtract(p, mb)
  x = f32[ROWS,LENGTH] exponential(s)
  t = f32[ROWS] reduce(x, zero), dimensions={1}, to_apply=addf
  tb = f32[ROWS,LENGTH] broadcast(t), dimensions={0}
  ROOT d = f32[ROWS,LENGTH] divide(x, tb) }
ENTRY e { p = f32[ROWS,LENGTH] parameter(0)
  ROOT f = f32[ROWS,LENGTH] fusion(p), kind=kInput, calls=softmax })";

std::string softmax(const std::string& rows, const std::string& length) {
  std::string text = kSoftmax;
  for (const auto& [word, size] : {std::pair("ROWS", rows), std::pair("LENGTH", length)}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, strlen(word), size);
  }
  return text;
}

TEST(GpuRows, ASoftmaxIsOneKernel) {
  for (const auto& [rows, length] : {std::pair("40", "96"), std::pair("4", "3000"), std::pair("3", "7")}) {
    const auto done = expectChecked(moduleWithReducers(softmax(rows, length)), 1e-5);
    ASSERT_EQ(done.ptx.size(), 1u);
    EXPECT_EQ(done.counters[0].bankConflicts, 0u);
  }
}

// What a fusion gives beside its reductions is written in the same pass.
TEST(GpuRows, SumsAndWhatTheyAreOf) {
  const auto done = expectChecked(moduleWithReducers(R"(both { p = f32[24,64] parameter(0)
  zero = f32[] constant(0)
  q = f32[24,64] multiply(p, p)
  a = f32[24] reduce(p, zero), dimensions={1}, to_apply=addf
  b = f32[24] reduce(q, zero), dimensions={1}, to_apply=addf
  ROOT t = (f32[24], f32[24], f32[24,64]) tuple(a, b, q) }
ENTRY e { p = f32[24,64] parameter(0)
  ROOT f = (f32[24], f32[24], f32[24,64]) fusion(p), kind=kInput, calls=both })"),
                                  1e-5);
  ASSERT_EQ(done.ptx.size(), 1u);
}

}  // namespace
}  // namespace hilo
