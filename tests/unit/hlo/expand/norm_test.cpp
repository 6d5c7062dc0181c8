// cuDNN's layer norm against its formula in f64, and its way back against differences of that.
#include <cmath>

#include "tests/unit/hlo/eval/eval_text.h"
#include "tests/unit/hlo/expand/gradients.h"

namespace hilo {
namespace {

using Numbers = std::vector<double>;

// Two rows of three.
const Numbers kX = {1, 2, 4, -1, 0.5, 3}, kScale = {2, -1, 0.5}, kBias = {0.25, 1, -2},
              kSlope = {1, -2, 3, 0.5, 1, -1};
constexpr double kEpsilon = 0.5;

struct Row {
  double mean, factor;
};

Row rowOf(const Numbers& x, size_t row) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < 3; ++i) mean += x[3 * row + i] / 3;
  for (size_t i = 0; i < 3; ++i) variance += std::pow(x[3 * row + i] - mean, 2) / 3;
  return {mean, 1 / std::sqrt(variance + kEpsilon)};
}

Numbers normed(const Numbers& x, const Numbers& scale, const Numbers& bias) {
  Numbers y;
  for (size_t i = 0; i < x.size(); ++i) {
    const Row row = rowOf(x, i / 3);
    y.push_back((x[i] - row.mean) * row.factor * scale[i % 3] + bias[i % 3]);
  }
  return y;
}

double loss(const Numbers& x, const Numbers& scale, const Numbers& bias) {
  const Numbers y = normed(x, scale, bias);
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += y[i] * kSlope[i];
  return sum;
}

std::string call(const std::string& results, const std::string& operands, const std::string& kind) {
  return fmt::format(
      "ROOT c = {} custom-call({}), custom_call_target=\"__cudnn$norm\", "
      "backend_config={{\"cudnn_norm_backend_config\":{{\"epsilon\":0.5,\"kind\":\"{}\"}}}}",
      results, operands, kind);
}

std::string given(const char* name, const char* shape, int number) {
  return fmt::format("{} = {} parameter({})\n", name, shape, number);
}

std::string forward(const std::string& results, const std::string& kind) {
  return given("x", "f32[2,3,1,1]", 0) + given("s", "f32[1,3,1,1]", 1) + given("b", "f32[1,3,1,1]", 2) +
         call(results, "x, s, b", kind);
}

const std::vector<std::string> kOperands = {arrayText({2, 3, 1, 1}, kX), arrayText({1, 3, 1, 1}, kScale),
                                            arrayText({1, 3, 1, 1}, kBias)};

TEST(Norm, Forward) {
  const Numbers y = normed(kX, kScale, kBias);
  expectNear(forward("(f32[2,3,1,1], u8[8])", "LAYER_FWD_INFER"), kOperands, y, 1e-5, 0);
  const std::string training =
      forward("(f32[2,3,1,1], f32[2,1,1,1], f32[2,1,1,1], u8[8])", "LAYER_FWD_TRAIN");
  const Row first = rowOf(kX, 0), second = rowOf(kX, 1);
  expectNear(training, kOperands, y, 1e-5, 0);
  expectNear(training, kOperands, {first.mean, second.mean}, 1e-5, 1);
  expectNear(training, kOperands, {first.factor, second.factor}, 1e-5, 2);
}

TEST(Norm, Backward) {
  const Row first = rowOf(kX, 0), second = rowOf(kX, 1);
  const std::string text =
      given("x", "f32[2,3,1,1]", 0) + given("s", "f32[1,3,1,1]", 1) + given("d", "f32[2,3,1,1]", 2) +
      given("m", "f32[2,1,1,1]", 3) + given("f", "f32[2,1,1,1]", 4) +
      call("(f32[2,3,1,1], f32[1,3,1,1], f32[1,3,1,1], u8[8])", "x, s, d, m, f", "LAYER_BWD");
  const std::vector<std::string> operands = {kOperands[0], kOperands[1], arrayText({2, 3, 1, 1}, kSlope),
                                             arrayText({2, 1, 1, 1}, {first.mean, second.mean}),
                                             arrayText({2, 1, 1, 1}, {first.factor, second.factor})};
  const auto of = [](auto loss, const Numbers& at) { return differences(loss, at); };
  expectNear(text, operands, of([](const Numbers& x) { return loss(x, kScale, kBias); }, kX), 1e-4, 0);
  expectNear(text, operands, of([](const Numbers& s) { return loss(kX, s, kBias); }, kScale), 1e-4, 1);
  expectNear(text, operands, of([](const Numbers& b) { return loss(kX, kScale, b); }, kBias), 1e-4, 2);
}

TEST(Norm, OtherFormsAreRefused) {
  EXPECT_EQ(errorKind(forward("(f32[2,3,1,1], u8[8])", "BATCH"), kOperands), "unsupported-opcode");
  EXPECT_EQ(errorKind(forward("(f32[2,3,1,1], u8[8])", "LAYER_FWD_TRAIN"), kOperands),
            "malformed-instruction");
}

}  // namespace
}  // namespace hilo
