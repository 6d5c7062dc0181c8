// Dots with few rows or columns: the matrix is read once, whichever way it lies.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

constexpr uint64_t kSectorBytes = 32;

struct ThinDot {
  const char *name, *text;
  uint64_t
      matrixBytes;  // the other operand, read once a line, is as much at most; 0: rows begin within sectors
};

class GpuThinDots : public testing::TestWithParam<ThinDot> {};

TEST_P(GpuThinDots, ReadTheMatrixOnce) {
  const auto counted = expectCounted(moduleWithReducers(GetParam().text), 1e-2);
  EXPECT_EQ(counted.now.bankConflicts, 0u);
  if (GetParam().matrixBytes > 0)
    EXPECT_LE(counted.now.globalSectors, 5 * GetParam().matrixBytes / kSectorBytes / 2);
  EXPECT_LT(counted.now.globalSectors, counted.byElements.globalSectors);
}

constexpr ThinDot kDots[] = {
    {"alongMemory", R"(p = bf16[1,512] parameter(0)
      q = bf16[200,512] parameter(1)
      ROOT d = bf16[1,200] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     200 * 512 * 2},
    {"acrossMemory", R"(p = bf16[1,256] parameter(0)
      q = bf16[256,320] parameter(1)
      ROOT d = f32[1,320] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     320 * 256 * 2},
    {"theMatrixFirst", R"(p = f32[200,256] parameter(0)
      q = f32[256] parameter(1)
      ROOT d = f32[200] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     200 * 256 * 4},
    {"ofEightRows", R"(p = f16[8,512] parameter(0)
      q = f16[320,512] parameter(1)
      ROOT d = f16[8,320] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     0},
    {"ofEightRowsAcross", R"(p = f16[8,512] parameter(0)
      q = f16[512,320] parameter(1)
      ROOT d = f16[8,320] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     0},
    {"inABlock", R"(p = f32[3,8192] parameter(0)
      q = f32[7,8192] parameter(1)
      ROOT d = f32[3,7] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     0},
    {"ofABatch", R"(p = bf16[6,2,64] parameter(0)
      q = bf16[6,100,64] parameter(1)
      ROOT d = bf16[6,2,100] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_contracting_dims={2})",
     0},
    {"ofABatchAcross", R"(p = bf16[6,100] parameter(0)
      q = bf16[100,6,128] parameter(1)
      ROOT d = bf16[6,128] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1},
        rhs_contracting_dims={0})",
     0},
    {"ofOddSizes", R"(p = f32[3,77] parameter(0)
      q = f32[61,77] parameter(1)
      ROOT d = f32[3,61] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     0},
    {"ofOddSizesAcross", R"(p = f32[77,3] parameter(0)
      q = f32[77,61] parameter(1)
      ROOT d = f32[61,3] dot(q, p), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
     0},
    {"bytes", R"(p = s8[2,512] parameter(0)
      q = s8[96,512] parameter(1)
      ROOT d = s32[2,96] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     0},
    {"ofTwoSummedDimensions", R"(p = f32[16,24] parameter(0)
      q = f32[24,50,16] parameter(1)
      ROOT d = f32[50] dot(p, q), lhs_contracting_dims={0,1}, rhs_contracting_dims={2,0})",
     0},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuThinDots, testing::ValuesIn(kDots),
                         [](const auto& info) { return std::string(info.param.name); });

class GpuThinDotTypes : public testing::TestWithParam<const char*> {};

TEST_P(GpuThinDotTypes, AreTheEvaluators) {
  for (const bool isAlong : {true, false}) {
    const std::string type = GetParam();
    const auto done = expectChecked(
        moduleWithReducers("p = " + type + "[2,70] parameter(0)\n q = " + type +
                           (isAlong ? "[37,70]" : "[70,37]") + " parameter(1)\n ROOT d = " + type +
                           "[2,37] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={" +
                           (isAlong ? "1}" : "0}")),
        1e-2);
    EXPECT_TRUE(done.has(0, isAlong ? "shfl.sync.down" : "bar.sync")) << done.ptx[0];
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuThinDotTypes,
                         testing::Values("s4", "u4", "u8", "s16", "s64", "f8e4m3fn", "f16", "f64", "c64",
                                         "c128"),
                         [](const auto& info) { return std::string(info.param); });

// As a quantised layer is written: the matrix is read as the bytes it is.
TEST(GpuThinDotFusions, TheMatrixIsConvertedAsItIsRead) {
  const auto counted = expectCounted(moduleWithReducers(R"(f { p = bf16[1,256] parameter(0)
  q = s8[256,320] parameter(1)
  scale = f32[320] parameter(2)
  qb = bf16[256,320] convert(q)
  d = f32[1,320] dot(p, qb), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  sb = f32[1,320] broadcast(scale), dimensions={1}
  m = f32[1,320] multiply(d, sb)
  ROOT r = bf16[1,320] convert(m) }
ENTRY e { p = bf16[1,256] parameter(0)
  q = s8[256,320] parameter(1)
  scale = f32[320] parameter(2)
  ROOT f = bf16[1,320] fusion(p, q, scale), kind=kOutput, calls=f })"),
                                     1e-2);
  EXPECT_LE(counted.now.globalSectors, 2 * 256 * 320 / kSectorBytes);
}

// Lines of a matrix that is transposed within the fusion lie as what is read does.
TEST(GpuThinDotFusions, ATransposeIsLookedThrough) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = f32[1,128] parameter(0)
  q = bf16[100,128] parameter(1)
  qf = f32[100,128] convert(q)
  t = f32[128,100] transpose(qf), dimensions={1,0}
  ROOT d = f32[1,100] dot(p, t), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY e { p = f32[1,128] parameter(0)
  q = bf16[100,128] parameter(1)
  ROOT f = f32[1,100] fusion(p, q), kind=kOutput, calls=f })"),
                                  1e-5);
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "shfl.sync.down"));
  EXPECT_TRUE(done.has(0, "ld.global.nc.v4.b32")) << done.ptx[0];
}

}  // namespace
}  // namespace hilo
