#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(EvalDot, MatricesAndTransposedOperands) {
  const std::string p = "a = f32[2,3] parameter(0)\nb = f32[3,2] parameter(1)\n";
  const std::vector<std::string> in = {"f32[2,3] {{1,2,3},{4,5,6}}", "f32[3,2] {{1,2},{3,4},{5,6}}"};
  expectEval(p + "ROOT d = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", in,
             {"f32[2,2] {{22,28},{49,64}}"});
  expectEval(p + "ROOT d = f32[3,3] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}", in,
             {"f32[3,3] {{9,19,29},{12,26,40},{15,33,51}}"});
  expectEval(p + "ROOT d = f32[] dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}", in,
             {"f32[] 86"});
}

TEST(EvalDot, BatchDimensionsAnywhere) {
  expectEval(
      "a = s32[2,2] parameter(0)\nb = s32[3,2] parameter(1)\n"
      "ROOT d = s32[2,2,3] dot(a, b), lhs_batch_dims={1}, rhs_batch_dims={1}",
      {"s32[2,2] {{1,2},{3,4}}", "s32[3,2] {{1,10},{2,20},{3,30}}"},
      {"s32[2,2,3] {{{1,2,3},{3,6,9}},{{20,40,60},{40,80,120}}}"});
}

TEST(EvalDot, MixedAndNarrowTypes) {
  expectEval(
      "a = s8[2] parameter(0)\nb = s8[2] parameter(1)\nROOT d = s32[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      {"s8[2] {100,100}", "s8[2] {100,100}"}, {"s32[] 20000"});
  expectEval(
      "a = bf16[2] parameter(0)\nb = bf16[2] parameter(1)\nROOT d = f32[] dot(a, b), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
      {"bf16[2] {256,1}", "bf16[2] {1,1}"}, {"f32[] 257"});
  expectEval(
      "a = pred[2] parameter(0)\nb = pred[2] parameter(1)\nROOT d = pred[] dot(a, b), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
      {"pred[2] {1,1}", "pred[2] {1,1}"}, {"pred[] true"});
  expectEval(
      "a = c64[1] parameter(0)\nb = c64[1] parameter(1)\nROOT d = c64[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      {"c64[1] {(1,2)}", "c64[1] {(3,4)}"}, {"c64[] (-5,10)"});
}

// A product larger than one block in every direction, against its closed form: row i of ones times column j
// of j is n * j.
TEST(EvalDot, LargerThanABlock) {
  const auto result = evalText(R"(
    one = f32[] constant(1)
    a = f32[70,300] broadcast(one), dimensions={}
    b = f32[300,130] iota(), iota_dimension=1
    ROOT d = f32[70,130] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
  ASSERT_TRUE(result.has_value());
  const auto values = result->data<float>();
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 300.0f * static_cast<float>(i % 130));
}

TEST(EvalRaggedDot, EachGroupOfRowsMeetsItsOwnMatrix) {
  expectEval(
      "a = s32[4,2] parameter(0)\nb = s32[2,2,1] parameter(1)\ng = s32[2] parameter(2)\n"
      "ROOT d = s32[4,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}, rhs_group_dims={0}",
      {"s32[4,2] {{1,2},{3,4},{5,6},{7,8}}", "s32[2,2,1] {{{1},{1}},{{10},{10}}}", "s32[2] {1,2}"},
      {"s32[4,1] {{3},{70},{110},{0}}"});
}

TEST(EvalRaggedDot, ContractingAndBatchModes) {
  expectEval(
      "a = s32[2,3] parameter(0)\nb = s32[3,1] parameter(1)\ng = s32[2] parameter(2)\n"
      "ROOT d = s32[2,2,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "lhs_ragged_dims={1}",
      {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[3,1] {{1},{10},{100}}", "s32[2] {1,2}"},
      {"s32[2,2,1] {{{1},{4}},{{320},{650}}}"});
  expectEval(
      "a = s32[2,2] parameter(0)\nb = s32[2,2] parameter(1)\ng = s32[1] parameter(2)\n"
      "ROOT d = s32[2] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}",
      {"s32[2,2] {{1,2},{3,4}}", "s32[2,2] {{5,6},{7,8}}", "s32[1] {1}"}, {"s32[2] {17,0}"});
}

TEST(EvalScaledDot, ScalesBlocksOfTheContraction) {
  expectEval(
      "a = f8e4m3fn[1,4] parameter(0)\nb = f8e4m3fn[4,1] parameter(1)\ns = f8e8m0fnu[1,2] parameter(2)\nt = "
      "f8e8m0fnu[2,1] parameter(3)\n"
      "ROOT d = f32[1,1] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      {"f8e4m3fn[1,4] {{1,2,3,4}}", "f8e4m3fn[4,1] {{1},{1},{1},{1}}", "f8e8m0fnu[1,2] {{2,4}}",
       "f8e8m0fnu[2,1] {{1},{0.5}}"},
      {"f32[1,1] {{20}}"});
}

TEST(EvalConvolution, OneDimensionWithEveryWindowAttribute) {
  const std::string p = "x = f32[1,1,4] parameter(0)\nk = f32[1,1,2] parameter(1)\n";
  const std::vector<std::string> in = {"f32[1,1,4] {{{1,2,3,4}}}", "f32[1,1,2] {{{1,10}}}"};
  const std::string labels = ", dim_labels=bf0_oi0->bf0";
  expectEval(p + "ROOT c = f32[1,1,3] convolution(x, k), window={size=2}" + labels, in,
             {"f32[1,1,3] {{{21,32,43}}}"});
  expectEval(p + "ROOT c = f32[1,1,5] convolution(x, k), window={size=2 pad=1_1}" + labels, in,
             {"f32[1,1,5] {{{10,21,32,43,4}}}"});
  expectEval(p + "ROOT c = f32[1,1,2] convolution(x, k), window={size=2 stride=2}" + labels, in,
             {"f32[1,1,2] {{{21,43}}}"});
  expectEval(p + "ROOT c = f32[1,1,2] convolution(x, k), window={size=2 rhs_dilate=2}" + labels, in,
             {"f32[1,1,2] {{{31,42}}}"});
  expectEval(p + "ROOT c = f32[1,1,6] convolution(x, k), window={size=2 lhs_dilate=2}" + labels, in,
             {"f32[1,1,6] {{{1,20,2,30,3,40}}}"});
  expectEval(p + "ROOT c = f32[1,1,3] convolution(x, k), window={size=2 rhs_reversal=1}" + labels, in,
             {"f32[1,1,3] {{{12,23,34}}}"});
}

TEST(EvalConvolution, TwoDimensionsChannelsLast) {
  // One image of 2x2 with 2 channels, a 2x2 kernel to 1 feature: the sum of element times kernel.
  expectEval(
      "x = f32[1,2,2,2] parameter(0)\nk = f32[2,2,2,1] parameter(1)\n"
      "ROOT c = f32[1,1,1,1] convolution(x, k), window={size=2x2}, dim_labels=b01f_01io->b01f",
      {"f32[1,2,2,2] {{{{1,2},{3,4}},{{5,6},{7,8}}}}",
       "f32[2,2,2,1] {{{{1},{1}},{{2},{2}}},{{{3},{3}},{{4},{4}}}}"},
      {"f32[1,1,1,1] {{{{110}}}}"});
}

TEST(EvalConvolution, FeatureAndBatchGroups) {
  expectEval(
      "x = f32[1,2,2] parameter(0)\nk = f32[2,1,1] parameter(1)\n"
      "ROOT c = f32[1,2,2] convolution(x, k), window={size=1}, dim_labels=bf0_oi0->bf0, "
      "feature_group_count=2",
      {"f32[1,2,2] {{{1,2},{3,4}}}", "f32[2,1,1] {{{10}},{{100}}}"}, {"f32[1,2,2] {{{10,20},{300,400}}}"});
  expectEval(
      "x = f32[2,1,2] parameter(0)\nk = f32[2,1,1] parameter(1)\n"
      "ROOT c = f32[1,2,2] convolution(x, k), window={size=1}, dim_labels=bf0_oi0->bf0, batch_group_count=2",
      {"f32[2,1,2] {{{1,2}},{{3,4}}}", "f32[2,1,1] {{{10}},{{100}}}"}, {"f32[1,2,2] {{{10,20},{300,400}}}"});
}

TEST(EvalConvolution, IntegersSaturate) {
  expectEval(
      "x = s8[1,1,1] parameter(0)\nk = s8[1,1,1] parameter(1)\n"
      "ROOT c = s8[1,1,1] convolution(x, k), window={size=1}, dim_labels=bf0_oi0->bf0",
      {"s8[1,1,1] {{{100}}}", "s8[1,1,1] {{{-2}}}"}, {"s8[1,1,1] {{{-128}}}"});
}

}  // namespace
}  // namespace hilo
