// Products of 8 bit floats with scales: [[1,2],[3,4]] [[5,6],[7,8]] = [[19,22],[43,50]].
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string call(const std::string& results, const std::string& parameters, const std::string& operands,
                 const std::string& config) {
  return "a = f8e4m3fn[2,2] parameter(0)\nb = f8e4m3fn[2,2] parameter(1)\nas = f32[] parameter(2)\n"
         "bs = f32[] parameter(3)\n" +
         parameters + "\nROOT c = " + results + " custom-call(" + operands +
         "), custom_call_target=\"__cublas$lt$matmul$f8\", backend_config={\"gemm_backend_config\":{"
         "\"alpha_real\":1,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
         "\"rhs_contracting_dimensions\":[\"0\"]}" +
         config + "}}";
}

const std::vector<std::string> kOperands = {"f8e4m3fn[2,2] {{1,2},{3,4}}", "f8e4m3fn[2,2] {{5,6},{7,8}}",
                                            "f32[] 2", "f32[] 0.5"};

std::vector<std::string> with(const std::vector<std::string>& more) {
  std::vector<std::string> all = kOperands;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(F8Gemm, ScalesItsOperands) {
  expectEval(call("(f32[2,2], s8[2])", "", "a, b, as, bs", ""), kOperands,
             {"f32[2,2] {{19,22},{43,50}}", "s8[2] {0,0}"});
  expectEval(call("(bf16[2,2], s8[0])", "m = bf16[2,2] parameter(4)", "a, b, m, as, bs", ",\"beta\":2"),
             with({"bf16[2,2] {{1,1},{2,2}}"}), {"bf16[2,2] {{21,24},{47,54}}", "s8[0] {}"});
}

// 43 * 20 and 50 * 20 are past the largest number, 448; amax is the one before the scale.
TEST(F8Gemm, ScalesAndSaturatesAnEightBitResult) {
  expectEval(call("(f8e4m3fn[2,2], f32[], s8[0])", "ds = f32[] parameter(4)", "a, b, as, bs, ds",
                  ",\"damax_output\":true"),
             with({"f32[] 20"}), {"f8e4m3fn[2,2] {{384,448},{448,448}}", "f32[] 50", "s8[0] {}"});
}

TEST(F8Gemm, TakesTheScalesOfOlderCompilers) {
  expectEval(call("(f32[2,2], s8[0])", "cs = f32[] parameter(4)\nds = f32[] parameter(5)",
                  "a, b, as, bs, cs, ds", ",\"epilogue\":\"RELU\""),
             with({"f32[] 1", "f32[] -1"}), {"f32[2,2] {{-19,-22},{-43,-50}}", "s8[0] {}"});
}

TEST(F8Gemm, GivesEightBitsWithoutAScale) {
  expectEval(call("(f8e4m3fn[2,2], s8[0])", "", "a, b, as, bs", ""), kOperands,
             {"f8e4m3fn[2,2] {{20,22},{44,48}}", "s8[0] {}"});
}

// What relu takes in, beside what it gives: [[19,22],[43,50]] - 30.
TEST(F8Gemm, KeepsTheSumBeforeItsFunction) {
  expectEval(call("(f32[2,2], f32[2,2], s8[0])", "m = f32[2,2] parameter(4)", "a, b, m, as, bs",
                  ",\"beta\":1,\"epilogue\":\"RELU_AUX\""),
             with({"f32[2,2] {{-30,-30},{-30,-30}}"}),
             {"f32[2,2] {{0,0},{13,20}}", "f32[2,2] {{-11,-8},{13,20}}", "s8[0] {}"});
}

TEST(F8Gemm, RefusesScalesOfBlocks) {
  EXPECT_EQ(errorKind(call("(f32[2,2], s8[0])", "v = f32[2] parameter(4)", "a, b, v, bs", ""),
                      with({"f32[2] {1,1}"})),
            "unsupported-opcode");
}

}  // namespace
}  // namespace hilo
