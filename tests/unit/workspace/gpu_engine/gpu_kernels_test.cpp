// Modules compiled for GPUs on any machine: what is written is PTX, which ptxas takes where it is found.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/toolchain/assemble_ptx.h"
#include "core/runtime/thunk/device/grid_kernel.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/gpu_compile.h"
#include "tests/support/answers/answer_cases.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

// Compiled quickly: there are many.
Result<CompiledModule> compiled(const std::shared_ptr<const Module>& module, const std::string& target) {
  TRY(const ProgramTarget found, gpuTarget(target));
  return compileProgram(
      module,
      {.target = found, .usesCache = false, .runsPasses = false, .quick = true, .codegen = &gpuCodegen()},
      {});
}

// What is wrong with a kernel's text, or with what ptxas says of it; "" where nothing is.
class PtxJudge {
 public:
  explicit PtxJudge(std::string target)
      : target_(std::move(target)), ptxas_(findTool(ToolId::Ptxas, toolSearchHere())) {}

  bool assembles() const { return ptxas_.isUsable(); }
  size_t count() const { return seen_.size(); }

  std::string judge(std::string_view ptx) {
    if (!seen_.insert(std::string(ptx)).second) return "";
    if (!ptx.contains(".visible .entry kernel(")) return "no entry";
    if (!ptx.contains(".target " + target_)) return "another target";
    if (!assembles()) return "";
    const auto made = assemblePtx(ptxas_, ptx, target_);
    if (!made) return toString(made.error());
    return made->kernels.size() == 1 && made->kernels[0].registers > 0 ? "" : "no registers";
  }

 private:
  std::string target_;
  Tool ptxas_;
  std::set<std::string> seen_;
};

// Every n-th case; all of them where HILO_ALL_PTX is set.
size_t everyNth(size_t n) { return std::getenv("HILO_ALL_PTX") == nullptr ? n : 1; }

class GpuKernels : public testing::TestWithParam<const char*> {};

TEST_P(GpuKernels, OfAnswersAreTaken) {
  PtxJudge judge(GetParam());
  std::string wrong;
  const RunModule compile = [&](const std::shared_ptr<const Module>& module,
                                std::span<const Literal>) -> Result<Literal> {
    const auto made = compiled(module, GetParam());
    if (!made) {
      wrong = toString(made.error());
      return fail("not-run", "");
    }
    for (const Kernel& kernel : made->program.kernels) {
      wrong = judge.judge(ptxOf(made->program, kernel));
      if (!wrong.empty()) break;
    }
    return fail("not-run", "compiled only");
  };
  const auto check = [&](const auto& cases, const auto& name) {
    for (size_t i = 0; i < cases.size(); i += everyNth(40)) {
      wrong.clear();
      (void)outcome(cases[i], compile);
      EXPECT_EQ(wrong, "") << name(cases[i]);
    }
  };
  check(elementwiseCases(), [](const ElementwiseCase& c) { return c.line; });
  check(structuralCases(), [](const StructuralCase& c) { return c.name; });
  EXPECT_GT(judge.count(), 50u);
  std::printf("%zu distinct kernels for %s, %s\n", judge.count(), GetParam(),
              judge.assembles() ? "assembled by ptxas" : "not assembled: no ptxas is here");
}

// One of each shape, compiled as well as can be.
constexpr const char* kShapes = R"(
addb { a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT r = bf16[] add(a, b) }
maxf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
softmax { p = f32[64,3000] parameter(0)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  m = f32[64] reduce(p, low), dimensions={1}, to_apply=maxf
  mb = f32[64,3000] broadcast(m), dimensions={0}
  s = f32[64,3000] subtract(p, mb)
  x = f32[64,3000] exponential(s)
  t = f32[64] reduce(x, zero), dimensions={1}, to_apply=addf
  tb = f32[64,3000] broadcast(t), dimensions={0}
  ROOT d = f32[64,3000] divide(x, tb) }
ENTRY e { p = f32[64,3000] parameter(0)
  b = bf16[256,64] parameter(1)
  c = bf16[64,192] parameter(2)
  h = f16[64,64] parameter(3)
  y = s8[64,128] parameter(4)
  i = s32[100,1] parameter(5)
  u = f32[100,3000] parameter(6)
  w = f64[64,32] parameter(7)
  o = u8[64,128] parameter(8)
  e = f8e4m3fn[64,64] parameter(9)
  x = f32[2,16,16,8] parameter(10)
  kern = f32[3,3,8,32] parameter(11)
  zero = f32[] constant(0)
  zerob = bf16[] constant(0)
  soft = f32[64,3000] fusion(p), kind=kInput, calls=softmax
  row = f32[] reduce(p, zero), dimensions={0,1}, to_apply=addf
  column = bf16[64] reduce(b, zerob), dimensions={0}, to_apply=addb
  turned = bf16[64,256] transpose(b), dimensions={1,0}
  scan = f32[64,3000] reduce-window(p, zero), window={size=1x3000 pad=0_0x2999_0}, to_apply=maxf
  d1 = bf16[256,192] dot(b, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d2 = f32[64,64] dot(h, h), lhs_contracting_dims={0}, rhs_contracting_dims={1}
  d3 = s32[64,64] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d4 = f32[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d5 = f64[64,64] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d6 = s32[64,64] dot(o, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d7 = f32[64,64] dot(e, e), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d8 = f32[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}, algorithm=dot_tf32_tf32_f32
  d9 = f32[2,16,16,32] convolution(x, kern), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  top = (f32[64,10], s32[64,10]) topk(p), k=10, largest=true
  topv = f32[64,10] get-tuple-element(top), index=0
  s1 = f32[64,3000] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=addf
  s2 = f32[64,3000] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=maxf
  sorted = f32[64,3000] sort(p), dimensions={1}, to_apply=less
  ROOT t = (f32[64,3000], f32[], bf16[64], bf16[64,256], f32[64,3000], bf16[256,192], f32[64,64], s32[64,64],
    f32[64,64], f32[64,3000], f32[64,3000], f32[64,3000], f64[64,64], s32[64,64], f32[64,64], f32[64,64],
    f32[2,16,16,32], f32[64,10]) tuple(soft, row, column, turned, scan, d1, d2, d3, d4, s1, s2, sorted, d5, d6, d7, d8,
    d9, topv) })";

TEST_P(GpuKernels, OfShapesAreTaken) {
  PtxJudge judge(GetParam());
  const auto made = compileForGpu(moduleWithReducers(kShapes), *gpuTarget(GetParam()), {});
  ASSERT_TRUE(made) << toString(made.error());
  bool hasTensorCores = false;
  for (const Kernel& kernel : made->program.kernels) {
    EXPECT_EQ(judge.judge(ptxOf(made->program, kernel)), "") << kernel.name;
    hasTensorCores |= ptxOf(made->program, kernel).contains("mma.sync");
  }
  EXPECT_EQ(hasTensorCores, std::string_view(GetParam()) != "sm_75");
  EXPECT_GT(judge.count(), 15u);
}

INSTANTIATE_TEST_SUITE_P(Targets, GpuKernels,
                         testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a",
                                         "sm_120a", "sm_121a"));

TEST(GpuCompile, AnOlderGpuIsWrittenForToo) {
  const auto module = moduleWithReducers("p = bf16[64] parameter(0)\nROOT r = bf16[64] exponential(p)");
  const auto made = compiled(module, "sm_60");
  ASSERT_TRUE(made) << toString(made.error());
  const std::string text = ptxText(made->program);
  EXPECT_NE(text.find(".version 5.0\n.target sm_60\n"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("// ==== r\n"));
}

// The buffers' pointers and how many iterations there are.
TEST(GpuCompile, AKernelTakesItsBuffersAndACount) {
  const auto module =
      moduleWithReducers("p = f32[8] parameter(0)\nq = f32[8] parameter(1)\nROOT r = f32[8] add(p, q)");
  const auto made = compileForGpu(module, *gpuTarget("sm_90"), {});
  ASSERT_TRUE(made) << toString(made.error());
  const std::string_view ptx = ptxOf(made->program, made->program.kernels[0]);
  EXPECT_TRUE(ptx.contains("kernel_param_3")) << ptx;
  EXPECT_FALSE(ptx.contains("kernel_param_4"));
  EXPECT_TRUE(ptx.contains("ld.global")) << ptx;
  EXPECT_TRUE(ptx.contains("st.global")) << ptx;
}

// LLVM 22 leaves the comparison out where an amount is chosen by it, and shifts by the lower half.
TEST(GpuCompile, AnAmountOf64BitsIsComparedWhole) {
  const auto module = moduleWithReducers(
      "p = s64[8] parameter(0)\nq = s64[8] parameter(1)\nROOT r = s64[8] shift-left(p, q)");
  const auto made = compileForGpu(module, *gpuTarget("sm_90"), {});
  ASSERT_TRUE(made) << toString(made.error());
  const std::string_view ptx = ptxOf(made->program, made->program.kernels[0]);
  EXPECT_TRUE(ptx.contains("setp.lt.u64") || ptx.contains("setp.gt.u64")) << ptx;
  EXPECT_TRUE(ptx.contains("ld.global.nc.v2.b64")) << ptx;
}

TEST(GpuCompile, AGridHasAThreadForEachIterationUntilThereAreMany) {
  const GridLaunch launch{.blockX = 256};
  EXPECT_EQ(launchShape(launch, 1)->block.x, 1u);
  EXPECT_EQ(launchShape(launch, 256)->grid.x, 1u);
  EXPECT_EQ(launchShape(launch, 257)->grid.x, 2u);
  EXPECT_EQ(launchShape(launch, 257)->block.x, 256u);
  EXPECT_EQ(launchShape(launch, int64_t{1} << 40)->grid.x, 65536u);
}

// A fusion whose tiles XLA chose, and an instruction in it that stands in no tile program.
TEST(TilesThatXlaChose, AreToldOfWhereTheyAreNotTaken) {
  const auto module = moduleWithReducers(R"(f { p = f32[8,30] parameter(0)
  z = f32[] constant(0)
  ROOT sums = f32[8,28] reduce-window(p, z), window={size=1x3}, to_apply=addf }
ENTRY e { p = f32[8,30] parameter(0)
  ROOT windows = f32[8,28] fusion(p), kind=kCustom, calls=f, backend_config={"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"output_tiles":[{"sizes":["4","14"]}],"num_warps":"1"}}} })");
  ASSERT_TRUE(module);
  const auto made = compiled(module, "sm_90a");
  ASSERT_TRUE(made) << toString(made.error());
  ASSERT_EQ(made->notes.size(), 1U);
  EXPECT_TRUE(made->notes[0].starts_with("%windows is not compiled by the tiles that XLA chose: "))
      << made->notes[0];
  EXPECT_TRUE(made->notes[0].contains("sums")) << made->notes[0];
}

}  // namespace
}  // namespace hilo
