// Passes of XLA's GPU pipeline on modules made for them: each changes its module as XLA's tests say, and the
// reference evaluator gives the same numbers before and after.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/pass_list.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"

namespace hilo {
namespace {

struct Case {
  std::string_view name, passes;
  std::string_view body;   // of the entry, over a: f32[4,6], b: f32[6,5], v: f32[6]
  std::string_view gains;  // a piece of the text after
  std::string_view loses;  // "" or a piece that is there no more
};

constexpr Case kCases[] = {
    {"DotOfThreeDimensions", "dot_decomposer",
     "r = f32[2,2,6] reshape(a) ROOT d = f32[2,2,5] dot(r, b), lhs_contracting_dims={2}, "
     "rhs_contracting_dims={0}",
     "f32[4,5] dot(", ""},
    {"DotOverTwoDimensions", "dot_decomposer",
     "r = f32[2,2,6] reshape(a) s = f32[6,2,7] broadcast(v), dimensions={0} "
     "ROOT d = f32[2,7] dot(r, s), lhs_contracting_dims={1,2}, rhs_contracting_dims={1,0}",
     "f32[12,7] reshape(", ""},
    {"TransposeOfAnOperand", "transpose-folding,dce",
     "t = f32[6,4] transpose(a), dimensions={1,0} "
     "ROOT d = f32[4,5] dot(t, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "dot(%a, %b), lhs_contracting_dims={1}", "transpose("},
    {"InnerProduct", "dot-strength-reduction",
     "ROOT d = f32[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}", " reduce(", " dot("},
    {"GemmOfCublas", "cublas-gemm-rewriter{cublaslt=false}",
     "ROOT d = f32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "__cublas$gemm",
     " dot("},
    {"GemmOfCublasLt", "cublas-gemm-rewriter",
     "ROOT d = f32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "__cublas$lt$matmul",
     " dot("},
    {"TwoDotsOfOneArray", "dot-merger",
     "c = f32[6,3] broadcast(v), dimensions={0} "
     "d = f32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
     "e = f32[4,3] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
     "ROOT t = (f32[4,5], f32[4,3]) tuple(d, e)",
     "f32[4,8] dot(", ""},
    {"BatchDimensions", "dot_dimension_merger",
     "x = f32[2,3,4,6] broadcast(a), dimensions={2,3} y = f32[2,3,6,5] broadcast(b), dimensions={2,3} "
     "ROOT d = f32[2,3,4,5] dot(x, y), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, "
     "rhs_contracting_dims={2}",
     "f32[6,4,5] dot(", ""},
    {"TriangularSolve", "triangular-solve-rewriter",
     "m = f32[6,6] broadcast(v), dimensions={1} ROOT s = f32[6,5] triangular-solve(m, b), left_side=true, "
     "lower=true, "
     "unit_diagonal=true, transpose_a=NO_TRANSPOSE",
     "__cublas$triangularSolve", ""},
    {"BroadcastOutOfOrder", "broadcast_canonicalizer", "ROOT r = f32[6,3,4] broadcast(a), dimensions={2,0}",
     "dimensions={0,2}", ""},
    {"ReshapesOfBothOperands", "reshape-mover,dce",
     "x = f32[24] reshape(a) n = f32[4,6] negate(a) y = f32[24] reshape(n) s = f32[24] add(x, y) "
     "ROOT r = f32[24] abs(s)",
     "f32[4,6] add(", ""},
    {"ConversionThatWidens", "convert-mover,dce",
     "h = f16[6] convert(v) w = f32[6] convert(h) ROOT r = f32[2,3] reshape(w)", "f16[2,3] reshape(", ""},
    {"Barrier", "cse_barrier_expander",
     "t = (f32[6]) tuple(v) o = (f32[6]) opt-barrier(t) "
     "ROOT g = f32[6] get-tuple-element(o), index=0",
     "get-tuple-element(%t)", "opt-barrier("},
    {"NoElements", "zero_sized_hlo_elimination",
     "s = f32[0] slice(v), slice={[2:2]} ROOT n = f32[0] negate(s)", "constant({})", "negate("},
    {"EqualReducers", "computation-deduplicator,dce",
     "r = f32[4] reduce(a, z), dimensions={1}, to_apply=sum q = f32[6] reduce(a, z), dimensions={0}, "
     "to_apply=total "
     "ROOT t = (f32[4], f32[6]) tuple(r, q)",
     "to_apply=%sum", "%total"},
    {"Logistic", "logistic-expander", "ROOT l = f32[6] logistic(v)", "exponential(", "logistic("},
    {"ComparisonOfHalves", "comparison-expander",
     "h = bf16[6] convert(v) n = bf16[6] negate(h) ROOT c = pred[6] compare(h, n), direction=LT",
     "f32[6] convert(", ""},
    {"ArithmeticOfHalves", "float-normalization-bf16",
     "h = bf16[6] convert(v) s = bf16[6] add(h, h) ROOT r = f32[6] convert(s)", "f32[6] add(",
     "bf16[6] add("},
    {"SizesOfOneReduced", "reduction-degenerate-dim-remover",
     "x = f32[4,1,6] reshape(a) ROOT r = f32[4] reduce(x, z), dimensions={1,2}, to_apply=sum",
     "reduce(%reshape, %z), dimensions={1}", ""},
    {"NeighboursReducedTogether", "reduction-dimension-grouper",
     "x = f32[2,2,6] reshape(a) ROOT r = f32[2] reduce(x, z), dimensions={1,2}, to_apply=sum", "f32[2,12]",
     ""},
    {"ScatterOfOneUpdate", "scatter_expander,dce",
     "i = s32[1] constant({4}) u = f32[2] constant({7, 8}) ROOT s = f32[6] scatter(v, i, u), "
     "update_window_dims={0}, "
     "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=sum",
     "dynamic-update-slice(", " scatter("},
    {"ScatterOutside", "scatter_expander,dce",
     "i = s32[1] constant({5}) u = f32[2] constant({7, 8}) ROOT s = f32[6] scatter(v, i, u), "
     "update_window_dims={0}, "
     "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=sum",
     "dynamic-update-slice(", " scatter("},
    {"ConversionAndBack", "simplify-fp-conversions,dce", "h = f64[6] convert(v) ROOT r = f32[6] convert(h)",
     "ROOT %v", "convert("},
    {"TwoResultsOfOneArray", "multi_output_fusion",
     "n = f32[4,6] negate(a) s = f32[4,6] abs(a) ROOT t = (f32[4,6], f32[4,6]) tuple(n, s)", " fusion(", ""},
    {"ChainOfWork", "priority-fusion,dce",
     "n = f32[4,6] negate(a) s = f32[4,6] abs(n) ROOT e = f32[4,6] exponential(s)", " fusion(", ""},
    {"CopyIntoAnotherOrder", "layout_normalization,dce",
     "c = f32[4,6]{0,1} copy(a) ROOT n = f32[4,6]{0,1} negate(c)", "f32[6,4]{1,0} transpose(", "copy("},
    {"LayoutsThatMeanNothing", "default-layouts", "n = f32[4,6]{0,1} negate(a) ROOT m = f32[4,6]{1,0} abs(n)",
     "%n = f32[4,6]{1,0}", ""},
};

std::shared_ptr<const Module> moduleOf(const Case& of) {
  const std::string text = fmt::format(
      "HloModule m\nsum {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }}\n"
      "total {{ v = f32[] parameter(0) w = f32[] parameter(1) ROOT t = f32[] add(v, w) }}\n"
      "ENTRY e {{ a = f32[4,6]{{1,0}} parameter(0) b = f32[6,5]{{1,0}} parameter(1) v = f32[6]{{0}} "
      "parameter(2)\n"
      " z = f32[] constant(0)\n {} }}",
      of.body);
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << of.name << (module ? "" : ": " + toString(module.error()));
  return module ? *std::move(module) : nullptr;
}

class GpuPassResults : public testing::TestWithParam<Case> {};

TEST_P(GpuPassResults, ChangesTheModuleAndNoNumber) {
  const std::shared_ptr<const Module> module = moduleOf(GetParam());
  ASSERT_NE(module, nullptr);
  const auto passes = parsePassList(GetParam().passes);
  ASSERT_TRUE(passes.has_value()) << toString(passes.error());
  const PassRun run = runPasses(module, *passes, {});
  ASSERT_TRUE(run.completed()) << toString(run.steps.back().problems.at(0));
  const std::string after = printModule(*run.output());
  EXPECT_NE(after.find(GetParam().gains), std::string::npos) << after;
  if (!GetParam().loses.empty()) EXPECT_EQ(after.find(GetParam().loses), std::string::npos) << after;
  const auto arguments = makeArguments(*module, 7);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*module, arguments->arguments),
             actual = evaluate(*run.output(), arguments->arguments);
  ASSERT_TRUE(expected.has_value() && actual.has_value())
      << after << (actual ? "" : toString(actual.error()));
  EXPECT_EQ(fuzz::difference(*actual, *expected, {}), "") << after;
}

INSTANTIATE_TEST_SUITE_P(EachPass, GpuPassResults, testing::ValuesIn(kCases),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace hilo
