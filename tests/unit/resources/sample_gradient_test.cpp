// The training step of the bundled sample is a training step: its hand-written gradients are the slopes of
// its loss, measured by moving the weights.
#include <cmath>

#include "core/hlo/eval/evaluate.h"
#include "tests/unit/resources/sample_step.h"

namespace hilo {
namespace {

constexpr float kStepSize = 0.02f;

std::vector<Literal> runStep(const Module& module, const std::vector<Literal>& arguments) {
  const auto result = evaluate(module, arguments);
  EXPECT_TRUE(result.has_value()) << toString(result.error());
  return {result->elements().begin(), result->elements().end()};
}

float scalar(const Literal& literal) { return literal.data<float>()[0]; }

double norm(std::span<const float> values) {
  double sum = 0;
  for (const float x : values) sum += static_cast<double>(x) * x;
  return std::sqrt(sum);
}

// The loss after moving one weight along `direction` (of any length) by `distance`.
double lossAt(const Module& module, std::vector<Literal> arguments, size_t weight,
              std::span<const float> direction, double distance) {
  Literal& moved = arguments[kWeights + weight];
  const double factor = distance / norm(direction);
  for (size_t i = 0; i < direction.size(); ++i) {
    moved.mutableData<float>()[i] += static_cast<float>(factor * direction[i]);
  }
  return scalar(runStep(module, arguments)[kLoss]);
}

TEST(SampleGradient, IsTheSlopeOfTheLossForEveryWeight) {
  const auto module = readStep("resources/samples/transformer_step_small.hlo");
  const std::vector<Literal> arguments = stepArguments(*module);
  const std::vector<Literal> results = runStep(*module, arguments);
  // From moments of 0, Adam's first moment becomes 0.1 of the gradient after clipping to norm 1.
  const double clipping = std::min(1.0, 1.0 / scalar(results[kNorm]));
  double squares = 0;
  for (size_t weight = 0; weight < kWeights; ++weight) {
    const std::span<const float> moment = results[weight].data<float>();
    const double gradient = norm(moment) / (0.1 * clipping);
    squares += gradient * gradient;
    const double up = lossAt(*module, arguments, weight, moment, kStepSize);
    const double down = lossAt(*module, arguments, weight, moment, -kStepSize);
    EXPECT_NEAR((up - down) / (2 * kStepSize), gradient, 0.02 * gradient + 1e-4)
        << module->entry()->parameters()[kWeights + weight]->name();
  }
  EXPECT_NEAR(std::sqrt(squares), scalar(results[kNorm]), 1e-3);
}

TEST(SampleGradient, AFewStepsLowerTheLoss) {
  const auto module = readStep("resources/samples/transformer_step_small.hlo");
  std::vector<Literal> arguments = stepArguments(*module);
  const std::vector<Literal> first = runStep(*module, arguments);
  // About the logarithm of the vocabulary's size: nothing has been learnt.
  EXPECT_NEAR(scalar(first[kLoss]), std::log(kVocabulary), 0.5);
  std::vector<Literal> results = first;
  for (int step = 0; step < 20; ++step) {
    std::copy(results.begin(), results.begin() + kNorm, arguments.begin());
    results = runStep(*module, arguments);
  }
  EXPECT_LT(scalar(results[kLoss]), scalar(first[kLoss]) - 0.05f);
  EXPECT_EQ(results[kStep].data<int32_t>()[0], 21);
}

}  // namespace
}  // namespace hilo
