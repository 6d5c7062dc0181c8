// cuDNN's attention, backward, against differences of a softmax written out in f64.
#include <cmath>

#include "tests/unit/hlo/eval/eval_text.h"
#include "tests/unit/hlo/expand/gradients.h"

namespace hilo {
namespace {

using Numbers = std::vector<double>;

// One head of three queries, three keys and two numbers each.
constexpr size_t kLength = 3, kDepth = 2;
const Numbers kQuery = {1, 0.5, -1, 2, 0.25, -0.5}, kKey = {0.5, 1, -1, 1, 2, 0.75},
              kValue = {1, -1, 2, 0.5, -2, 3}, kBias = {0.5, -0.25, 0.125}, kSlope = {1, 2, -1, 0.5, 3, -2};
constexpr double kScale = 0.5;

struct Attention {
  bool isCausal = false, addsBias = false;

  // Of each query the logarithm of the sum, and the output.
  std::pair<Numbers, Numbers> run(const Numbers& q, const Numbers& k, const Numbers& v,
                                  const Numbers& bias) const {
    Numbers sums, output;
    for (size_t i = 0; i < kLength; ++i) {
      Numbers shares;
      double sum = 0;
      for (size_t j = 0; j < (isCausal ? i + 1 : kLength); ++j) {
        const double score = q[2 * i] * k[2 * j] + q[2 * i + 1] * k[2 * j + 1];
        shares.push_back(std::exp(kScale * score + (addsBias ? bias[j] : 0)));
        sum += shares.back();
      }
      sums.push_back(std::log(sum));
      for (size_t d = 0; d < kDepth; ++d) {
        double made = 0;
        for (size_t j = 0; j < shares.size(); ++j) made += shares[j] / sum * v[2 * j + d];
        output.push_back(made);
      }
    }
    return {sums, output};
  }
  double loss(const Numbers& q, const Numbers& k, const Numbers& v, const Numbers& bias) const {
    const Numbers output = run(q, k, v, bias).second;
    double sum = 0;
    for (size_t i = 0; i < output.size(); ++i) sum += output[i] * kSlope[i];
    return sum;
  }
};

std::string numbersOf(const char* name, int lhs, int rhs) {
  return fmt::format(
      "\"{}_dot_dimension_numbers\":{{\"lhs_contracting_dimensions\":[\"{}\"],\"rhs_contracting_dimensions\":"
      "[\"{}\"],\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"1\"]}}",
      name, lhs, rhs);
}

std::string backward(const Attention& attention, const std::string& more = "") {
  const std::string wide = "f32[1,1,3,2]";
  std::string text;
  for (const char* name : {"q", "k", "v", "s", "d", "o", "b"}) {
    if (*name == 'b' && !attention.addsBias) continue;
    const std::string shape = *name == 's' ? "f32[1,1,3]" : *name == 'b' ? "f32[1,1,1,3]" : wide;
    text += fmt::format("{} = {} parameter({})\n", name, shape, std::string_view("qkvsdob").find(*name));
  }
  return text +
         fmt::format(
             "ROOT c = ({0}, {0}, {0}, {1}u8[0]) custom-call(q, k, v, s, d, {2}o), custom_call_target="
             "\"__cudnn$fmha{3}SoftmaxBackward\", backend_config={{\"cudnn_fmha_backend_config\":{{"
             "\"fmha_scale\":{4},\"intermediate_tensor_shape\":{{\"dimensions\":[\"1\",\"1\",\"3\",\"3\"]}},"
             "{5},{6},{7},{8},\"mask_type\":\"{9}\"{10}}}}}",
             wide, attention.addsBias ? "f32[1,1,1,3], " : "", attention.addsBias ? "b, " : "",
             attention.addsBias ? "ScaleBias" : "", kScale, numbersOf("bmm1_grad_gemm1", 2, 2),
             numbersOf("bmm1_grad_gemm2", 3, 2), numbersOf("bmm2_grad_gemm1", 2, 2),
             numbersOf("bmm2_grad_gemm2", 3, 3), attention.isCausal ? "CAUSAL" : "NO_MASK", more);
}

std::vector<std::string> operandsOf(const Attention& attention) {
  const std::vector<size_t> wide = {1, 1, kLength, kDepth};
  const auto [sums, output] = attention.run(kQuery, kKey, kValue, kBias);
  std::vector<std::string> operands = {arrayText(wide, kQuery), arrayText(wide, kKey),
                                       arrayText(wide, kValue), arrayText({1, 1, kLength}, sums),
                                       arrayText(wide, kSlope), arrayText(wide, output)};
  if (attention.addsBias) operands.push_back(arrayText({1, 1, 1, kLength}, kBias));
  return operands;
}

void expectGradients(const Attention& attention) {
  const std::string text = backward(attention);
  const auto operands = operandsOf(attention);
  const auto query = [&](const Numbers& q) { return attention.loss(q, kKey, kValue, kBias); };
  const auto key = [&](const Numbers& k) { return attention.loss(kQuery, k, kValue, kBias); };
  const auto value = [&](const Numbers& v) { return attention.loss(kQuery, kKey, v, kBias); };
  const auto bias = [&](const Numbers& b) { return attention.loss(kQuery, kKey, kValue, b); };
  expectNear(text, operands, differences(query, kQuery), 1e-4, 0);
  expectNear(text, operands, differences(key, kKey), 1e-4, 1);
  expectNear(text, operands, differences(value, kValue), 1e-4, 2);
  if (attention.addsBias) expectNear(text, operands, differences(bias, kBias), 1e-4, 3);
}

TEST(AttentionBackward, Plain) { expectGradients({}); }
TEST(AttentionBackward, Causal) { expectGradients({.isCausal = true}); }
TEST(AttentionBackward, WithBias) { expectGradients({.addsBias = true}); }

TEST(AttentionBackward, OtherFormsAreRefused) {
  EXPECT_EQ(errorKind(backward({}, ",\"dropout_rate\":0.5"), operandsOf({})), "unsupported-opcode");
  EXPECT_EQ(errorKind(backward({}, ",\"sliding_window_length\":2"), operandsOf({})), "unsupported-opcode");
}

}  // namespace
}  // namespace hilo
