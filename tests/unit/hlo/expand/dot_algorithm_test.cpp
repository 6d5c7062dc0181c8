// What products by an algorithm give, computed by hand from what it rounds operands to; and that more parts
// are never worse.
#include <cmath>
#include <random>

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// The product of one number with one other.
std::string multiplied(std::string_view algorithm, std::string_view from = "f32",
                       std::string_view to = "f32") {
  return fmt::format(
      "a = {0}[1] parameter(0)\nb = {0}[1] parameter(1)\nROOT d = {1}[] dot(a, b), "
      "lhs_contracting_dims={{0}}, "
      "rhs_contracting_dims={{0}}, algorithm={2}",
      from, to, algorithm);
}

struct Case {
  const char* algorithm;
  double given, expected;  // times 1
};

class KeptBits : public testing::TestWithParam<Case> {};
void PrintTo(const Case& c, std::ostream* out) { *out << c.algorithm << " of " << c.given; }

TEST_P(KeptBits, KeepsTheBitsOfItsParts) {
  const Case& c = GetParam();
  expectEval(multiplied(c.algorithm), {fmt::format("f32[1] {{{}}}", c.given), "f32[1] {1}"},
             {fmt::format("f32[] {}", c.expected)});
}

const double kThree = 1 + 0x1p-8 + 0x1p-17;  // a leading bit for each of three parts
INSTANTIATE_TEST_SUITE_P(
    ByOne, KeptBits,
    testing::Values(
        // To nearest, ties to even: bf16 has 8 bits, tf32 and f16 11.
        Case{"dot_bf16_bf16_f32", 1 + 0x1p-8, 1}, Case{"dot_bf16_bf16_f32", 1 + 0x3p-8, 1 + 0x1p-6},
        Case{"dot_tf32_tf32_f32", 1 + 0x1p-11, 1}, Case{"dot_tf32_tf32_f32", 1 + 0x3p-11, 1 + 0x1p-9},
        Case{"dot_f16_f16_f32", 1 + 0x1p-11, 1}, Case{"dot_f16_f16_f32", 65536, INFINITY},
        // Two parts hold 16 bits and more, three all 24.
        Case{"dot_bf16_bf16_f32_x3", 1 + 0x1p-8, 1 + 0x1p-8},
        Case{"dot_bf16_bf16_f32_x3", kThree, 1 + 0x1p-8}, Case{"dot_bf16_bf16_f32_x6", kThree, kThree},
        Case{"dot_bf16_bf16_f32_x9", kThree, kThree},
        Case{"dot_tf32_tf32_f32_x3", 1 + 0x1p-11 + 0x1p-23, 1 + 0x1p-11},
        Case{"dot_tf32_tf32_f32_x3", 1 + 0x1p-11 + 0x1p-21, 1 + 0x1p-11 + 0x1p-21},
        Case{"dot_f32_f32_f32", 1 + 0x1p-23, 1 + 0x1p-23}, Case{"dot_f64_f64_f64", 1 + 0x1p-23, 1 + 0x1p-23},
        // What is left of an infinity is NaN, which counts as zero.
        Case{"dot_bf16_bf16_f32_x3", INFINITY, INFINITY}, Case{"dot_bf16_bf16_f32_x6", -INFINITY, -INFINITY},
        Case{"dot_bf16_bf16_f32_x9", INFINITY, INFINITY}, Case{"dot_tf32_tf32_f32_x3", INFINITY, INFINITY}));

TEST(DotAlgorithms, SumsAreKeptInTheTypeNamed) {
  const auto sum = [](std::string_view algorithm) {
    return fmt::format(
        "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT d = f32[] dot(a, b), "
        "lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}, algorithm={}",
        algorithm);
  };
  const std::vector<std::string> large = {"f32[2] {60000,60000}", "f32[2] {1,1}"},
                                 odd = {"f32[2] {256,1}", "f32[2] {1,1}"};
  expectEval(sum("dot_f16_f16_f32"), large, {"f32[] 120000"});
  expectEval(sum("dot_f16_f16_f16"), large, {"f32[] inf"});
  expectEval(sum("dot_bf16_bf16_f32"), odd, {"f32[] 257"});
  expectEval(sum("dot_bf16_bf16_bf16"), odd, {"f32[] 256"});
}

TEST(DotAlgorithms, FloatsOfEightBits) {
  const std::vector<std::string> factors = {"f8e5m2[1] {3}", "f8e5m2[1] {7}"};
  expectEval(multiplied("dot_any_f8_any_f8_f32", "f8e5m2"), factors, {"f32[] 21"});
  expectEval(multiplied("dot_any_f8_any_f8_f32_fast_accum", "f8e5m2"), factors, {"f32[] 21"});
  // f32 first, then the type asked for.
  expectEval(multiplied("dot_any_f8_any_f8_f32", "f8e5m2", "f64"), factors, {"f64[] 21"});
}

TEST(DotAlgorithms, WhatTheyDoNotMultiplyIsRefused) {
  const auto refused = [](const std::string& text) {
    const auto module = parseModuleStrictly("HloModule m\nENTRY e {\n" + text + "\n}\n");
    EXPECT_TRUE(module.has_value());
    const Diagnostics why = checkRunnable(**module);
    return why.size() == 1 ? why[0].kind + ": " + why[0].message : fmt::format("{} reasons", why.size());
  };
  EXPECT_EQ(refused(multiplied("dot_any_f8_any_f8_f32")),
            "unsupported-type: dot of f32 by dot_any_f8_any_f8_f32, which multiplies floats of 8 bits");
}

TEST(DotAlgorithms, OfIntegersNothingIsRounded) {
  expectEval(multiplied("dot_bf16_bf16_f32", "s32", "s32"), {"s32[1] {257}", "s32[1] {1}"}, {"s32[] 257"});
}

TEST(DotAlgorithms, ConvolutionsAndRaggedDotsRoundToo) {
  expectEval(
      "x = f32[1,1,1] parameter(0)\ny = f32[1,1,1] parameter(1)\nROOT c = f32[1,1,1] convolution(x, y), "
      "window={size=1}, dim_labels=b0f_0io->b0f, algorithm=dot_bf16_bf16_f32",
      {"f32[1,1,1] {{{1.00390625}}}", "f32[1,1,1] {{{3}}}"}, {"f32[1,1,1] {{{3}}}"});
  expectEval(
      "x = f32[2,1] parameter(0)\ny = f32[1,1,1] parameter(1)\nn = s32[1] parameter(2)\nROOT r = f32[2,1] "
      "ragged-dot(x, y, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
      "rhs_group_dims={0}, algorithm=dot_bf16_bf16_f32_x3",
      {"f32[2,1] {{1.00390625},{7}}", "f32[1,1,1] {{{3}}}", "s32[1] {1}"}, {"f32[2,1] {{3.01171875},{0}}"});
}

// Root of the sum of squared errors of a 24x40 by 40x24 product, against sums in f64.
double error(std::string_view algorithm, const std::vector<std::string>& operands, const Literal& exact) {
  const auto got = evalText(
      fmt::format("a = f32[24,40] parameter(0)\nb = f32[40,24] parameter(1)\nROOT d = f32[24,24] dot(a, b), "
                  "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, algorithm={}",
                  algorithm),
      operands);
  EXPECT_TRUE(got.has_value());
  double sum = 0;
  for (size_t i = 0; i < 24 * 24; ++i) {
    const double by = got->data<float>()[i] - exact.data<double>()[i];
    sum += by * by;
  }
  return std::sqrt(sum);
}

TEST(DotAlgorithms, MorePartsAreNeverWorse) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 8; ++round) {
    const auto matrix = [&](int rows, int columns) {
      std::string text = fmt::format("f32[{},{}] {{", rows, columns);
      for (int r = 0; r < rows; ++r) {
        text += r == 0 ? "{" : ",{";
        for (int c = 0; c < columns; ++c) text += fmt::format("{}{}", c == 0 ? "" : ",", normal(random));
        text += "}";
      }
      return text + "}";
    };
    const std::vector<std::string> operands = {matrix(24, 40), matrix(40, 24)};
    const auto exact = evalText(
        "a = f32[24,40] parameter(0)\nb = f32[40,24] parameter(1)\nROOT d = f64[24,24] dot(a, b), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        operands);
    ASSERT_TRUE(exact.has_value());
    const double plain = error("dot_bf16_bf16_f32", operands, *exact),
                 three = error("dot_bf16_bf16_f32_x3", operands, *exact),
                 six = error("dot_bf16_bf16_f32_x6", operands, *exact),
                 nine = error("dot_bf16_bf16_f32_x9", operands, *exact),
                 tf32 = error("dot_tf32_tf32_f32", operands, *exact),
                 tf32Three = error("dot_tf32_tf32_f32_x3", operands, *exact);
    EXPECT_LE(nine, six);
    EXPECT_LE(six, three / 16);
    EXPECT_LE(three, plain / 16);
    EXPECT_LE(tf32, plain / 4);
    EXPECT_LE(tf32Three, tf32 / 64);
    EXPECT_GT(nine, 0);
  }
}

}  // namespace
}  // namespace hilo
