// Corners that XLA's evaluator has a meaning for: mixed precisions, operands that come late, odd lengths.
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

constexpr char kAdd[] = R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
)";

TEST(EvalCorners, AReductionMayRoundItsResult) {
  expectEval(std::string(kAdd) + R"(ENTRY e {
  p = f32[4] parameter(0)
  zero = f32[] constant(0)
  ROOT r = bf16[] reduce(p, zero), dimensions={0}, to_apply=add })",
             {"f32[4] {1, 3, -2, 255.5}"}, {"bf16[] 258"});
  expectEval(R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e {
  p = bf16[4] parameter(0)
  zero = bf16[] constant(0)
  ROOT r = f32[] reduce(p, zero), dimensions={0}, to_apply=add })",
             {"bf16[4] {1, 3, -2, 256}"}, {"f32[] 258"});
}

TEST(EvalCorners, CopyAndPadTakeOtherFloats) {
  expectEval("p = bf16[3] parameter(0)\nROOT r = f32[3] copy(p)", {"bf16[3] {1, 2, 3.5}"},
             {"f32[3] {1, 2, 3.5}"});
  expectEval("p = bf16[2] parameter(0)\nz = f32[] parameter(1)\nROOT r = bf16[3] pad(p, z), padding=1_0",
             {"bf16[2] {1, 2}", "f32[] 10"}, {"bf16[3] {10, 1, 2}"});
}

TEST(EvalCorners, MapOfMixedTypes) {
  expectEval(R"(
f { a = u16[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] convert(a)
  ROOT r = f32[] add(b, c) }
ENTRY e {
  p = u16[3] parameter(0)
  q = f32[3] parameter(1)
  ROOT m = f32[3] map(p, q), to_apply=f })",
             {"u16[3] {1, 2, 65535}", "f32[3] {0.5, 1.5, 1}"}, {"f32[3] {1.5, 3.5, 65536}"});
}

TEST(EvalCorners, AsyncOperandsMayComeWithAnUpdate) {
  const std::string negated = R"(
f { p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p) }
ENTRY e {
  x = f32[2] parameter(0)
  s = ((), {0}, s32[]) async-start(), calls=f
  u = ((f32[2]), {1}, s32[]) async-update(s, x)
  ROOT d = f32[2] async-done(u) })";
  for (const auto& [start, update] :
       {std::pair("()", "f32[2]"), std::pair("()", "()"), std::pair("f32[2]", "f32[2]")}) {
    std::string text = negated;
    text.replace(text.find("{0}"), 3, start);
    text.replace(text.find("{1}"), 3, update);
    expectEval(text, {"f32[2] {1, -2}"}, {"f32[2] {-1, 2}"});
  }
}

TEST(EvalCorners, ComplexNumbersSortByTheirParts) {
  expectEval(R"(
f { a = c64[] parameter(0)
  b = c64[] parameter(1)
  x = f32[] real(a)
  y = f32[] real(b)
  ROOT r = pred[] compare(x, y), direction=LT }
ENTRY e {
  p = c64[3] parameter(0)
  ROOT s = c64[3] sort(p), dimensions={0}, to_apply=f })",
             {"c64[3] {(4, 1), (-2, 0), (3, 9)}"}, {"c64[3] {(-2, 0), (3, 9), (4, 1)}"});
}

TEST(EvalCorners, ScatterOfTwoArrays) {
  expectEval(R"(
second { a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  ROOT t = (s32[], f32[]) tuple(c, d) }
ENTRY e {
  x = s32[3] parameter(0)
  y = f32[3] parameter(1)
  i = s32[2] parameter(2)
  u = s32[2] parameter(3)
  v = f32[2] parameter(4)
  ROOT r = (s32[3], f32[3]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second })",
             {"s32[3] {1, 2, 3}", "f32[3] {1, 2, 3}", "s32[2] {2, 0}", "s32[2] {7, 8}", "f32[2] {0.5, 1.5}"},
             {"s32[3] {8, 2, 7}", "f32[3] {1.5, 2, 0.5}"});
}

TEST(EvalCorners, FourierTransformsOfNothing) {
  expectEval("p = c64[1,0] parameter(0)\nROOT r = c64[1,0] fft(p), fft_type=FFT, fft_length={0}",
             {"c64[1,0] {{}}"}, {"c64[1,0] {{}}"});
}

// The kernel holds one value of each block of four along dimension 0, and where in the block it stands.
TEST(EvalCorners, ConvolutionWithASparseKernel) {
  expectEval(R"(ENTRY e {
  p = f32[1,8] parameter(0)
  v = f32[2,1] parameter(1)
  i = s32[2,1] parameter(2)
  k = (f32[2,1], s32[2,1]) tuple(v, i)
  ROOT c = f32[1,1] convolution(p, k), dim_labels=bf_io->bf, sparsity_config={rhs={sparsity=1x4 dimension=0 stride=1}} })",
             {"f32[1,8] {{1, 2, 3, 4, 5, 6, 7, 8}}", "f32[2,1] {{10}, {100}}", "s32[2,1] {{1}, {3}}"},
             {"f32[1,1] {{820}}"});
}

}  // namespace
}  // namespace hilo
