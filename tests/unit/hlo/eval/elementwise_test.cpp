#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

void unary(const std::string& op, const std::string& type, const std::string& in, const std::string& out,
           std::string outType = "") {
  if (outType.empty()) outType = type;
  const auto count = std::to_string(std::ranges::count(in, ',') + 1);
  expectEval(fmt::format("p = {0}[{1}] parameter(0)\nROOT r = {2}[{1}] {3}(p)", type, count, outType, op),
             {type + "[" + count + "] {" + in + "}"}, {outType + "[" + count + "] {" + out + "}"});
}

void binary(const std::string& op, const std::string& type, const std::string& a, const std::string& b,
            const std::string& out, std::string outType = "") {
  if (outType.empty()) outType = type;
  const auto count = std::to_string(std::ranges::count(a, ',') + 1);
  const std::string shape = type + "[" + count + "]";
  expectEval(fmt::format("a = {0} parameter(0)\nb = {0} parameter(1)\nROOT r = {1}[{2}] {3}", shape, outType,
                         count, op.contains('(') ? op : op + "(a, b)"),
             {shape + " {" + a + "}", shape + " {" + b + "}"}, {outType + "[" + count + "] {" + out + "}"});
}

TEST(EvalElementwise, UnaryFloat) {
  unary("abs", "f32", "-1.5, 0, -inf", "1.5, 0, inf");
  unary("negate", "f64", "1, -2", "-1, 2");
  unary("sign", "f32", "-3, 0, -0, 7, nan", "-1, 0, -0, 1, nan");
  unary("floor", "f32", "-1.5, 1.5", "-2, 1");
  unary("ceil", "f32", "-1.5, 1.5", "-1, 2");
  unary("round-nearest-afz", "f32", "0.5, 1.5, 2.5, -2.5", "1, 2, 3, -3");
  unary("round-nearest-even", "f32", "0.5, 1.5, 2.5, -2.5", "0, 2, 2, -2");
  unary("sqrt", "f64", "4, 2.25", "2, 1.5");
  unary("rsqrt", "f32", "4, 0.25", "0.5, 2");
  unary("cbrt", "f32", "-27, 8", "-3, 2");
  unary("is-finite", "f32", "1, inf, nan, -inf", "1, 0, 0, 0", "pred");
  unary("exponential", "f32", "0, -inf", "1, 0");
  unary("logistic", "f32", "0, -inf, inf", "0.5, 0, 1");
  unary("imag", "f32", "3, -4", "0, 0");
}

TEST(EvalElementwise, UnaryInteger) {
  unary("abs", "s8", "-128, -5, 5", "-128, 5, 5");
  unary("negate", "u8", "1, 0", "255, 0");
  unary("not", "s32", "0, 5", "-1, -6");
  unary("not", "pred", "1, 0", "0, 1");
  unary("sign", "s64", "-9, 0, 4", "-1, 0, 1");
  unary("popcnt", "u16", "65535, 5", "16, 2");
  unary("popcnt", "s4", "-1, 5", "4, 2");
  unary("count-leading-zeros", "u32", "0, 1, 2147483648", "32, 31, 0");
  unary("count-leading-zeros", "s8", "-1, 1", "0, 7");
  unary("count-leading-zeros", "u4", "1, 0, 15", "3, 4, 0");
}

TEST(EvalElementwise, IntegersWrap) {
  binary("add", "s8", "127, -128", "1, -1", "-128, 127");
  binary("multiply", "s32", "2147483647, 65536", "2, 65536", "-2, 0");
  binary("subtract", "u64", "0, 3", "1, 2", "18446744073709551615, 1");
  binary("add", "s4", "7, -8", "1, -1", "-8, 7");
  binary("multiply", "u4", "15, 3", "15, 4", "1, 12");
  binary("add", "s2", "1, -2", "1, -1", "-2, 1");
}

TEST(EvalElementwise, IntegerDivisionIsTotal) {
  binary("divide", "s32", "7, -7, 5, -2147483648", "2, 2, 0, -1", "3, -3, -1, -2147483648");
  binary("divide", "u8", "7, 5", "2, 0", "3, 255");
  binary("remainder", "s32", "7, -7, 5, -2147483648", "2, 2, 0, -1", "1, -1, 5, 0");
  binary("power", "s32", "2, 3, -1, 1", "10, -1, 3, -5", "1024, 0, -1, 1");
}

TEST(EvalElementwise, ShiftsBeyondTheWidthGiveZeroOrTheSign) {
  binary("shift-left", "s32", "1, 1, 1", "4, 32, -1", "16, 0, 0");
  binary("shift-right-logical", "s8", "-1, -128, 1", "1, 8, 0", "127, 0, 1");
  binary("shift-right-arithmetic", "s8", "-128, -128, 64", "1, 9, 9", "-64, -1, 0");
  binary("shift-right-arithmetic", "u8", "128, 64", "1, 1", "192, 32");
  binary("shift-right-logical", "s4", "-8, 7", "1, 1", "4, 3");
  binary("shift-left", "u4", "15, 1", "2, 4", "12, 0");
}

TEST(EvalElementwise, BinaryFloat) {
  binary("maximum", "f32", "1, nan, 2", "2, 1, nan", "2, nan, nan");
  binary("minimum", "f32", "1, nan, -inf", "2, 1, 0", "1, nan, -inf");
  binary("remainder", "f32", "5.5, -5.5", "2, 2", "1.5, -1.5");
  binary("power", "f64", "2, 0, 4", "3, 0, 0.5", "8, 1, 2");
  binary("atan2", "f64", "0, 0", "1, 2", "0, 0");
  binary("divide", "f32", "1, -1", "0, 0", "inf, -inf");
}

TEST(EvalElementwise, NarrowFloatsRoundAfterEachOperation) {
  // 1 + 2^-8 is half a step of bf16: the sum ties to the even neighbour.
  binary("add", "bf16", "1, 256", "0.00390625, 1", "1, 256");
  binary("multiply", "f16", "256, 2", "256, 3", "inf, 6");
  binary("add", "f8e4m3fn", "448, 1", "16, 0.0625", "448, 1");
  binary("add", "f8e5m2", "57344, 1", "57344, 1", "inf, 2");
  binary("multiply", "f4e2m1fn", "6, 1.5", "6, 1.5", "6, 2");
  binary("add", "f8e4m3fnuz", "240, 1", "240, 1", "-nan, 2");
}

TEST(EvalElementwise, Pred) {
  binary("and", "pred", "1, 1, 0", "1, 0, 0", "1, 0, 0");
  binary("or", "pred", "1, 1, 0", "1, 0, 0", "1, 1, 0");
  binary("xor", "pred", "1, 1, 0", "1, 0, 0", "0, 1, 0");
  binary("add", "pred", "1, 1, 0", "1, 0, 0", "1, 1, 0");
  binary("multiply", "pred", "1, 1", "1, 0", "1, 0");
}

TEST(EvalElementwise, Compare) {
  binary("compare(a, b), direction=LT", "f32", "1, nan, -0", "2, 1, 0", "1, 0, 0", "pred");
  binary("compare(a, b), direction=NE", "f32", "1, nan, -0", "1, nan, 0", "0, 1, 0", "pred");
  binary("compare(a, b), direction=LT, type=TOTALORDER", "f32", "-0, nan, -nan", "0, inf, -inf", "1, 0, 1",
         "pred");
  binary("compare(a, b), direction=GE", "u8", "255, 0", "1, 0", "1, 1", "pred");
  binary("compare(a, b), direction=GT", "s4", "-8, 7", "7, -8", "0, 1", "pred");
  expectEval("a = c64[2] parameter(0)\nb = c64[2] parameter(1)\nROOT r = pred[2] compare(a, b), direction=EQ",
             {"c64[2] {(1, 2), (1, 3)}", "c64[2] {(1, 2), (1, 2)}"}, {"pred[2] {1, 0}"});
}

TEST(EvalElementwise, SelectAndClampTakeScalars) {
  expectEval(
      "p = pred[] parameter(0)\na = f32[2] parameter(1)\nb = f32[2] parameter(2)\nROOT r = f32[2] select(p, "
      "a, b)",
      {"pred[] false", "f32[2] {1, 2}", "f32[2] {3, 4}"}, {"f32[2] {3, 4}"});
  expectEval(
      "p = pred[2] parameter(0)\na = s4[2] parameter(1)\nb = s4[2] parameter(2)\nROOT r = s4[2] select(p, a, "
      "b)",
      {"pred[2] {0, 1}", "s4[2] {1, -2}", "s4[2] {3, 4}"}, {"s4[2] {3, -2}"});
  expectEval(
      "l = f32[] parameter(0)\nx = f32[4] parameter(1)\nh = f32[] parameter(2)\nROOT r = f32[4] clamp(l, x, "
      "h)",
      {"f32[] 0", "f32[4] {-1, 0.5, 2, nan}", "f32[] 1"}, {"f32[4] {0, 0.5, 1, nan}"});
}

TEST(EvalElementwise, MulhiGivesTheUpperHalf) {
  binary("mulhi", "u32", "4294967295, 65536", "4294967295, 65536", "4294967294, 1");
  binary("mulhi", "s64", "-1, 4611686018427387904", "1, 4", "-1, 1");
}

TEST(EvalElementwise, WhatHasNoMeaningIsRefused) {
  EXPECT_EQ(errorKind("p = pred[2] parameter(0)\nROOT r = pred[2] exponential(p)", {"pred[2] {0, 1}"}),
            "unsupported-type");
  EXPECT_EQ(errorKind("p = f32[2] parameter(0)\nROOT r = f32[2] popcnt(p)", {"f32[2] {0, 1}"}),
            "unsupported-type");
  EXPECT_EQ(errorKind("p = f32[2] parameter(0)\nq = f32[3] parameter(1)\nROOT r = f32[2] add(p, q)",
                      {"f32[2] {0, 1}", "f32[3] {0, 1, 2}"}),
            "malformed-instruction");
}

TEST(EvalElementwise, Transcendentals) {
  const std::string p = "p = f64[2] parameter(0)\nROOT r = f64[2] ";
  expectNear(p + "erf(p)", {"f64[2] {0.5, -2}"}, {0.5204998778130465, -0.9953222650189527}, 1e-14);
  expectNear(p + "tan(p)", {"f64[2] {0.5, 1}"}, {0.5463024898437905, 1.5574077246549022}, 1e-14);
  expectNear(p + "log-plus-one(p)", {"f64[2] {1e-10, 1}"}, {9.9999999995e-11, 0.6931471805599453}, 1e-14);
  expectNear(p + "exponential-minus-one(p)", {"f64[2] {1e-10, 1}"}, {1.00000000005e-10, 1.718281828459045},
             1e-14);
  expectNear(p + "acosh(p)", {"f64[2] {1, 2}"}, {0, 1.3169578969248166}, 1e-14);
  expectNear(p + "asin(p)", {"f64[2] {1, -0.5}"}, {1.5707963267948966, -0.5235987755982989}, 1e-14);
  expectNear(p + "atanh(p)", {"f64[2] {0, 0.5}"}, {0, 0.5493061443340548}, 1e-14);
}

}  // namespace
}  // namespace hilo
