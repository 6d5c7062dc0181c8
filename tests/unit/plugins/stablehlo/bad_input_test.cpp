// What is wrong with an input is said with line and column; nothing crashes.
#include <gmock/gmock.h>

#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(StablehloBadInput, Truncated) {
  EXPECT_THAT(
      errorOf(
          "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %a, %a : tensor<4x"),
      StartsWith("t.mlir:2:"));
}

TEST(StablehloBadInput, UnknownOperation) {
  EXPECT_THAT(
      errorOf(
          "func.func @main(%a: tensor<f32>) {\n  %0 = stablehlo.frobnicate %a : tensor<f32>\n  return\n}"),
      HasSubstr("t.mlir:2:8: error: mlir-syntax: custom op 'stablehlo.frobnicate' is unknown"));
}

TEST(StablehloBadInput, WrongDialect) {
  EXPECT_THAT(errorOf("func.func @main() {\n  memref.alloc() : memref<4xf32>\n  return\n}"),
              HasSubstr("t.mlir:2:3: error: mlir-syntax: Dialect `memref' not found"));
  EXPECT_THAT(
      errorOf(
          "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = arith.addf %a, %a : tensor<4xf32>\n"
          "  return %0 : tensor<4xf32>\n}"),
      HasSubstr("t.mlir:2:8: error: mlir-conversion: 'arith.addf' op has no counterpart in HLO"));
}

TEST(StablehloBadInput, DeepNesting) {
  const std::string deep = "func.func @main() attributes {a = " + std::string(100'000, '[') + "}\n";
  EXPECT_THAT(errorOf(deep), HasSubstr("t.mlir:1:1034: error: too-deep: brackets nest more than 1000 deep"));
}

TEST(StablehloBadInput, DeepCalls) {
  std::string text = "func.func @main() { call @f0() : () -> () return }\n";
  for (int n = 0; n < 2000; ++n)
    text += "func.func private @f" + std::to_string(n) + "() { call @f" + std::to_string(n + 1) +
            "() : () -> () return }\n";
  EXPECT_THAT(errorOf(text), HasSubstr("nested more than 500 deep"));
}

TEST(StablehloBadInput, Recursion) {
  EXPECT_THAT(
      errorOf("func.func @main() {\n  call @main() : () -> ()\n  return\n}"),
      HasSubstr("t.mlir:2:3: error: mlir-conversion: 'func.call' op calls @main, which is calling itself"));
}

TEST(StablehloBadInput, TooFewOperands) {
  EXPECT_THAT(
      errorOf("func.func @main() -> tensor<f32> {\n  %0 = \"stablehlo.select\"() : () -> tensor<f32>\n"
              "  return %0 : tensor<f32>\n}"),
      HasSubstr("t.mlir:2:8: error: mlir-conversion: 'stablehlo.select' op needs 3 operands"));
}

TEST(StablehloBadInput, LinesOfLaterPieces) {
  const auto file = openBytes(
      "func.func @a() {\n  return\n}\n// -----\nfunc.func @b() {\n  stablehlo.nothing\n  return\n}\n",
      "t.mlir");
  ASSERT_TRUE(file.has_value());
  ASSERT_FALSE((*file)->diagnostics.empty());
  EXPECT_EQ((*file)->diagnostics[0].place.line, 6u);
}

}  // namespace
}  // namespace hilo
