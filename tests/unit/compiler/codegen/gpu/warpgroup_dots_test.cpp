// Dots by wgmma, on sm_90a: every type, both orders of each operand, sizes that fill no tile.
#include <gtest/gtest.h>

#include "core/compiler/toolchain/assemble_ptx.h"
#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

struct WarpgroupCase {
  const char *name, *text, *instruction;
  bool isCopied = true;
};

class GpuWarpgroupDots : public testing::TestWithParam<WarpgroupCase> {};

// That ptxas makes it wait for each product by itself, where it cannot see that sums are left alone, it says.
void expectAssembled(const std::string& ptx) {
  const Tool ptxas = findTool(ToolId::Ptxas, toolSearchHere());
  if (!ptxas.isUsable()) return;
  const auto made = assemblePtx(ptxas, ptx, "sm_90a");
  ASSERT_TRUE(made) << toString(made.error());
  EXPECT_EQ(made->words.find("serialized"), std::string::npos) << made->words;
  EXPECT_EQ(made->kernels[0].spillStoreBytes, 0) << made->words;
}

TEST_P(GpuWarpgroupDots, AreTheEvaluators) {
  const auto done = expectChecked(moduleWithReducers(GetParam().text), 1e-2, "sm_90a");
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, GetParam().instruction)) << done.ptx[0];
  // Elements that are written one by one lie otherwise in memory.
  if (GetParam().isCopied) EXPECT_EQ(done.counters[0].bankConflicts, 0u);
  expectAssembled(done.ptx[0]);
}

constexpr WarpgroupCase kCases[] = {
    {"halves", R"(p = f16[64,96] parameter(0)
      q = f16[64,96] parameter(1)
      ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16"},
    {"rightTurned", R"(p = f16[64,96] parameter(0)
      q = f16[96,64] parameter(1)
      ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "1, 1, 0, 1;"},
    {"bothTurned", R"(p = bf16[96,72] parameter(0)
      q = bf16[96,80] parameter(1)
      ROOT d = bf16[72,80] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
     "1, 1, 1, 1;"},
    {"largeSquares", R"(p = bf16[64,160,64] parameter(0)
      q = bf16[64,64,144] parameter(1)
      ROOT d = f32[64,160,144] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_contracting_dims={1})",
     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"},
    {"largeSquaresTurned", R"(p = bf16[64,48,160] parameter(0)
      q = bf16[64,144,48] parameter(1)
      ROOT d = f32[64,160,144] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},
        rhs_contracting_dims={2})",
     "1, 1, 1, 0;"},
    {"ofOddSizes", R"(p = bf16[33,49] parameter(0)
      q = bf16[49,35] parameter(1)
      ROOT d = f32[33,35] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "wgmma", false},
    {"floatsOf8Bits", R"(p = f8e4m3fn[70,160] parameter(0)
      q = f8e5m2[66,160] parameter(1)
      ROOT d = f32[70,66] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e5m2"},
    {"bytes", R"(p = s8[40,128] parameter(0)
      q = s8[50,128] parameter(1)
      ROOT d = s32[40,50] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
     "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8"},
    {"bytesOfBothKinds", R"(p = s8[40,64] parameter(0)
      q = u8[64,50] parameter(1)
      ROOT d = s32[40,50] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.u8", false},
    {"tf32", R"(f { p = f32[70,48] parameter(0)
  q = f32[48,65] parameter(1)
  a = f32[70,48] reduce-precision(p), exponent_bits=8, mantissa_bits=10
  b = f32[48,65] reduce-precision(q), exponent_bits=8, mantissa_bits=10
  ROOT d = f32[70,65] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY e { p = f32[70,48] parameter(0)
  q = f32[48,65] parameter(1)
  ROOT f = f32[70,65] fusion(p, q), kind=kOutput, calls=f })",
     "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32", false},
    {"withWorkBeforeAndAfter", R"(f { p = bf16[64,64] parameter(0)
  q = bf16[64,64] parameter(1)
  c = f32[64] parameter(2)
  a = f32[64,64] convert(p)
  n = bf16[64,64] negate(q)
  b = f32[64,64] convert(n)
  d = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  cb = f32[64,64] broadcast(c), dimensions={1}
  ROOT s = f32[64,64] add(d, cb) }
ENTRY e { p = bf16[64,64] parameter(0)
  q = bf16[64,64] parameter(1)
  c = f32[64] parameter(2)
  ROOT f = f32[64,64] fusion(p, q, c), kind=kOutput, calls=f })",
     "wgmma", false},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuWarpgroupDots, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Doubles are none of wgmma's.
TEST(GpuWarpgroupDots, LeaveDoublesToWarps) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f64[70,40] parameter(0)
    q = f64[40,66] parameter(1)
    ROOT d = f64[70,66] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
                                  1e-12, "sm_90a");
  EXPECT_TRUE(done.has(0, "mma.sync.aligned.m8n8k4.row.col.f64"));
}

}  // namespace
}  // namespace hilo
