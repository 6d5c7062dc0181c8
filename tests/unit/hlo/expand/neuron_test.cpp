#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string of(const std::string& target) {
  return "x = f32[3] parameter(0)\nROOT c = f32[3] custom-call(x), custom_call_target=\"AwsNeuron" + target +
         "\"";
}

// 2 of a normal distribution: 0.9772499 lies below, with a density of 0.0539910.
TEST(Neuron, Gelu) {
  const std::vector<std::string> x = {"f32[3] {-2, 0, 2}"};
  expectNear(of("Gelu"), x, {-0.0455003, 0, 1.9544997}, 1e-6);
  expectNear(of("GeluBackward"), x, {0.0227501 - 0.1079819, 0.5, 0.9772499 + 0.1079819}, 1e-6);
  expectNear(of("GeluApprxTanh"), x, {-0.0454023, 0, 1.9545977}, 1e-6);
}

// The mean square of (3,1) is 5, and of (2,4) 10: along the first dimension with weights 1 and 2.
TEST(Neuron, RmsNorm) {
  const std::string call =
      "x = f32[2,2] parameter(0)\nw = f32[2] parameter(1)\ne = f32[] parameter(2)\n"
      "ROOT c = f32[2,2] custom-call(x, w, e), custom_call_target=\"AwsNeuronRmsNorm\", "
      "backend_config=\"";
  const std::vector<std::string> operands = {"f32[2,2] {{3,2},{1,4}}", "f32[2] {1,2}", "f32[] 4"};
  expectNear(call + "0\"", operands, {1, 2 / std::sqrt(14), 2. / 3, 8 / std::sqrt(14)}, 1e-6);
  EXPECT_EQ(errorKind(call + "2\"", operands), "malformed-instruction");
}

}  // namespace
}  // namespace hilo
