// Dots: by tensor cores where the types and sizes allow it, else by tiles in shared memory.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

struct DotCase {
  const char *name, *text, *instruction;
};

class GpuDots : public testing::TestWithParam<DotCase> {};

TEST_P(GpuDots, AreTheEvaluators) {
  const auto done = expectChecked(moduleWithReducers(GetParam().text), 1e-2);
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, GetParam().instruction)) << done.ptx[0];
}

constexpr DotCase kCases[] = {
    {"tiles", R"(p = f32[70,48] parameter(0)
      q = f32[48,65] parameter(1)
      ROOT d = f32[70,65] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "fma.rn.f32"},
    {"integers", R"(p = s32[2,40,33] parameter(0)
      q = s32[2,50,33] parameter(1)
      ROOT d = s32[2,40,50] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_contracting_dims={2})",
     "mad.lo"},
    {"halves", R"(p = f16[64,96] parameter(0)
      q = f16[96,64] parameter(1)
      ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
    {"bothTurned", R"(p = bf16[96,72] parameter(0)
      q = bf16[96,80] parameter(1)
      ROOT d = bf16[72,80] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
     "ldmatrix.sync.aligned.m8n8.x4.trans"},
    {"neitherTurned", R"(p = bf16[70,64] parameter(0)
      q = bf16[66,64] parameter(1)
      ROOT d = f32[70,66] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "cp.async.cg.shared.global"},
    {"bytes", R"(p = s8[40,128] parameter(0)
      q = s8[50,128] parameter(1)
      ROOT d = s32[40,50] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "mma.sync.aligned.m16n8k32.row.col"},
    {"bytesWithoutSign", R"(p = u8[40,128] parameter(0)
      q = u8[50,128] parameter(1)
      ROOT d = s32[40,50] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32"},
    {"bytesOfBothKinds", R"(p = s8[40,64] parameter(0)
      q = u8[64,50] parameter(1)
      ROOT d = s32[40,50] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
    {"doubles", R"(p = f64[70,40] parameter(0)
      q = f64[40,66] parameter(1)
      ROOT d = f64[70,66] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "mma.sync.aligned.m8n8k4.row.col.f64"},
    {"ofOddSizes", R"(p = bf16[33,49] parameter(0)
      q = bf16[49,35] parameter(1)
      ROOT d = f32[33,35] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "mma.sync"},
    {"manyOfABatch", R"(p = bf16[130,16,32] parameter(0)
      q = bf16[130,32,16] parameter(1)
      ROOT d = f32[130,16,16] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_contracting_dims={1})",
     "mma.sync"},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuDots, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GpuDotTiles, HaveFewConflictsOfBanks) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[64,64] parameter(0)
    q = f32[64,64] parameter(1)
    ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
                                  1e-2);
  EXPECT_LT(20 * done.counters[0].bankConflicts, done.counters[0].sharedAccesses);
}

TEST(GpuDotFusions, ConversionsBeforeAndWorkAfterAreInTheKernel) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = bf16[64,64] parameter(0)
  q = bf16[64,64] parameter(1)
  c = f32[64] parameter(2)
  a = f32[64,64] convert(p)
  b = f32[64,64] convert(q)
  d = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  cb = f32[64,64] broadcast(c), dimensions={1}
  s = f32[64,64] add(d, cb)
  zero = f32[] constant(0)
  zb = f32[64,64] broadcast(zero), dimensions={}
  ROOT r = f32[64,64] maximum(s, zb) }
ENTRY e { p = bf16[64,64] parameter(0)
  q = bf16[64,64] parameter(1)
  c = f32[64] parameter(2)
  ROOT f = f32[64,64] fusion(p, q, c), kind=kOutput, calls=f })"),
                                  1e-2);
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "mma.sync"));
  EXPECT_TRUE(done.has(0, "cp.async"));
}

// As dots by the algorithm dot_tf32_tf32_f32 are written.
TEST(GpuDotFusions, F32OfAFewDigitsIsTf32) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = f32[70,48] parameter(0)
  q = f32[48,65] parameter(1)
  a = f32[70,48] reduce-precision(p), exponent_bits=8, mantissa_bits=10
  b = f32[48,65] reduce-precision(q), exponent_bits=8, mantissa_bits=10
  ROOT d = f32[70,65] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY e { p = f32[70,48] parameter(0)
  q = f32[48,65] parameter(1)
  ROOT f = f32[70,65] fusion(p, q), kind=kOutput, calls=f })"),
                                  1e-4);
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"));
}

TEST(GpuDotFusions, FloatsOf8BitsAreMultipliedAsTheyAre) {
  for (const char* target : {"sm_89", "sm_90", "sm_100"}) {
    const auto done = expectChecked(moduleWithReducers(R"(p = f8e4m3fn[70,64] parameter(0)
    q = f8e5m2[66,64] parameter(1)
    ROOT d = f32[70,66] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})"),
                                    1e-2, target);
    EXPECT_TRUE(done.has(0, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")) << done.ptx[0];
    EXPECT_EQ(done.has(0, ".version 8.4"), std::string_view(target) != "sm_100") << done.ptx[0];
  }
}

// The rows of tiles are a part of the banks apart.
TEST(GpuDotTiles, OfTensorCoresHaveNoConflictsOfBanks) {
  const auto done = expectChecked(moduleWithReducers(R"(p = bf16[64,64] parameter(0)
    q = bf16[64,64] parameter(1)
    ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
                                  1e-2);
  EXPECT_GT(done.counters[0].sharedAccesses, 0u);
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
}

// As a mixture of experts is written: groups end within tiles, one is empty, rows past the last are zero.
TEST(GpuRaggedDots, AreTiledByGroups) {
  const auto counted = expectCounted(moduleWithReducers(R"(p = f32[150,48] parameter(0)
    q = f32[5,48,70] parameter(1)
    sizes = s32[5] constant({30, 0, 64, 1, 40})
    ROOT d = f32[150,70] ragged-dot(p, q, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1},
      lhs_ragged_dims={0}, rhs_group_dims={0})"),
                                     1e-2);
  EXPECT_TRUE(counted.done.has(0, "bar.sync")) << counted.done.ptx[0];
  EXPECT_LT(counted.now.globalSectors, counted.byElements.globalSectors);
}

TEST(GpuRaggedDots, OfBatchesAndNarrowTypes) {
  const auto halves = expectChecked(moduleWithReducers(R"(p = bf16[2,70,32] parameter(0)
    q = bf16[3,2,32,24] parameter(1)
    sizes = s32[3] constant({30, 20, 20})
    ROOT d = bf16[2,70,24] ragged-dot(p, q, sizes), lhs_batch_dims={0}, rhs_batch_dims={1},
      lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0})"),
                                    1e-2);
  EXPECT_TRUE(halves.has(0, "bar.sync"));
  const auto bytes = expectChecked(moduleWithReducers(R"(p = s8[40,33] parameter(0)
    q = s8[2,33,17] parameter(1)
    sizes = s32[2] parameter(2)
    ROOT d = s32[40,17] ragged-dot(p, q, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1},
      lhs_ragged_dims={0}, rhs_group_dims={0})"));
  EXPECT_TRUE(bytes.has(0, "bar.sync"));
}

}  // namespace
}  // namespace hilo
