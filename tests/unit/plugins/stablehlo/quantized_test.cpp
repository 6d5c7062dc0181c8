// Quantized values: what computes does so on the numbers the storage stands for. Answers by hand: a scale of
// 0.5 and a zero point of 10, so that 3 is stored as 16.
#include <gmock/gmock.h>

#include "core/workspace/check/check_programs.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

std::string reasonOf(const std::string& body) {
  const auto file = openBytes("func.func @main() {\n" + body + "  return\n}\n", "t.mlir");
  if (!file) return toString(file.error());
  const ProgramResult result = checkProgram((*file)->module, "reference");
  return result.outcome == CheckOutcome::Pass ? "" : result.reason;
}

const std::string kType = "!quant.uniform<i8:f32, 0.5:10>";
const std::string kInput =
    "  %x = stablehlo.constant dense<[1.0, 2.0, 3.5]> : tensor<3xf32>\n  %q = stablehlo.uniform_quantize %x "
    ": "
    "(tensor<3xf32>) -> tensor<3x" +
    kType + ">\n";
std::string checked(const std::string& value, const std::string& dims, const std::string& expected) {
  return "  %d = stablehlo.uniform_dequantize " + value + " : (tensor<" + dims + kType + ">) -> tensor<" +
         dims + "f32>\n  check.expect_eq_const %d, dense<" + expected + "> : tensor<" + dims + "f32>\n";
}

TEST(StablehloQuantized, ReductionsAddTheNumbers) {
  const std::string zero =
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %i = stablehlo.uniform_quantize %z : "
      "(tensor<f32>) -> tensor<" +
      kType + ">\n";
  EXPECT_EQ(
      reasonOf(kInput + zero +
               "  %r = stablehlo.reduce(%q init: %i) applies stablehlo.add across dimensions = [0] : "
               "(tensor<3x" +
               kType + ">, tensor<" + kType + ">) -> tensor<" + kType + ">\n" + checked("%r", "", "6.5")),
      "");
}

TEST(StablehloQuantized, IotaCountsTheNumbers) {
  EXPECT_EQ(reasonOf("  %i = stablehlo.iota dim = 0 : tensor<4x" + kType + ">\n" +
                     checked("%i", "4x", "[0.0, 1.0, 2.0, 3.0]")),
            "");
}

TEST(StablehloQuantized, ResultsAreRoundedToTheirScale) {
  // 1 / 2, 2 / 2 and 3.5 / 2 = 1.75, which lies between 1.5 and 2 and is rounded to even storage.
  const std::string halves =
      "  %t = stablehlo.constant dense<2.0> : tensor<3xf32>\n  %u = stablehlo.uniform_quantize %t : "
      "(tensor<3xf32>) -> tensor<3x" +
      kType + ">\n  %r = stablehlo.divide %q, %u : tensor<3x" + kType + ">\n";
  EXPECT_EQ(reasonOf(kInput + halves + checked("%r", "3x", "[0.5, 1.0, 2.0]")), "");
}

}  // namespace
}  // namespace hilo
