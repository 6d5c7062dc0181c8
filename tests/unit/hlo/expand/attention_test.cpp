// cuDNN's attention against products and a softmax written out, on one head by hand.
#include <cmath>

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// Two queries and three keys of two numbers each, values of one.
std::string attention(const std::string& results, bool hasBias, const std::string& more) {
  return fmt::format(
      "q = f32[1,1,2,2] parameter(0)\nk = f32[1,1,3,2] parameter(1)\nv = f32[1,1,3,1] parameter(2)\n{}"
      "ROOT c = {} custom-call(q, k, v{}), custom_call_target=\"__cudnn$fmha{}Softmax\", "
      "backend_config={{\"cudnn_fmha_backend_config\":{{\"intermediate_tensor_shape\":{{\"dimensions\":["
      "\"1\",\"1\",\"2\","
      "\"3\"]}},\"bmm1_dot_dimension_numbers\":{{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_"
      "dimensions\":["
      "\"3\"],\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"1\"]}},"
      "\"bmm2_dot_dimension_numbers\":{{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_"
      "dimensions\":[\"2\"],"
      "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"1\"]}},{}}}}}",
      hasBias ? "b = f32[1,1,1,3] parameter(3)\n" : "", results, hasBias ? ", b" : "",
      hasBias ? "ScaleBias" : "", more);
}

const std::vector<std::string> kOperands = {"f32[1,1,2,2] {{{{1,0},{0,2}}}}",
                                            "f32[1,1,3,2] {{{{1,0},{0,1},{1,1}}}}",
                                            "f32[1,1,3,1] {{{{1},{2},{4}}}}"};
const std::string kTraining = "(f32[1,1,2,1], f32[1,1,2], u8[0])", kPlain = "(f32[1,1,2,1], u8[0])";

double weighted(std::vector<double> scores) {
  const double values[] = {1, 2, 4};
  double sum = 0, total = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    sum += std::exp(scores[i]) * values[i];
    total += std::exp(scores[i]);
  }
  return sum / total;
}

TEST(Attention, WithScale) {
  // Q K: rows 1 0 1 and 0 2 2, halved.
  const std::string text = attention(kTraining, false, R"("fmha_scale":0.5,"mask_type":"NO_MASK")");
  expectNear(text, kOperands, {weighted({0.5, 0, 0.5}), weighted({0, 1, 1})}, 1e-6, 0);
  expectNear(text, kOperands, {std::log(1 + 2 * std::exp(0.5)), std::log(1 + 2 * std::exp(1))}, 1e-6, 1);
}

TEST(Attention, WithBiasAndCausalMask) {
  std::vector<std::string> operands = kOperands;
  operands.push_back("f32[1,1,1,3] {{{{0,1,-1}}}}");
  expectNear(attention(kPlain, true, R"("fmha_scale":1)"), operands,
             {weighted({1, 1, 0}), weighted({0, 3, 1})}, 1e-6, 0);
  expectNear(attention(kPlain, true, R"("fmha_scale":1,"mask_type":"CAUSAL")"), operands,
             {1, (std::exp(0) * 1 + std::exp(3) * 2) / (1 + std::exp(3))}, 1e-6, 0);
}

TEST(Attention, OtherFormsAreRefused) {
  const auto refused = [](const std::string& more) {
    const auto module =
        parseModuleStrictly("HloModule m\nENTRY e {\n" + attention(kPlain, false, more) + "\n}\n");
    EXPECT_TRUE(module.has_value());
    const Diagnostics why = checkRunnable(**module);
    return why.size() == 1 ? why[0].message : fmt::format("{} reasons", why.size());
  };
  EXPECT_EQ(refused(R"("mask_type":"PADDING")"), "custom-call __cudnn$fmhaSoftmax has mask PADDING");
  EXPECT_EQ(refused(R"("dropout_rate":0.1)"), "custom-call __cudnn$fmhaSoftmax drops weights at random");
  EXPECT_EQ(refused(R"("sliding_window_length":64)"),
            "custom-call __cudnn$fmhaSoftmax looks through a sliding window");
}

}  // namespace
}  // namespace hilo
