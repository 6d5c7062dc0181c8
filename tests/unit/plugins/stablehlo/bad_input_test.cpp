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

// As people paste a function out of a module: its last line is not there.
TEST(StablehloBadInput, AFunctionWithoutItsLastBraceOpensAndSaysSo) {
  const auto file = openBytes(
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  // a } that does not count\n"
      "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n\n",
      "t.mlir");
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  ASSERT_EQ((*file)->diagnostics.size(), 1u);
  EXPECT_EQ(toString((*file)->diagnostics[0]),
            "t.mlir:4: warning: regions-left-open: the text ends before 1 region is closed; read as if "
            "closed here");
  EXPECT_EQ((*file)->module->entry()->root()->opcodeText(), "add");
}

// What is used and not defined becomes a parameter of the type that is stated.
TEST(StablehloBadInput, OperationsWithoutAFunctionOpenAndSaySo) {
  const auto file = openBytes(
      "  %0 = stablehlo.compare LT, %arg1, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> // "
      "%no\n"
      "  %1 = stablehlo.select %0, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>\n"
      "  %2 = stablehlo.slice %1 [0:2] {note = \"%not\"} : (tensor<4xf32>) -> tensor<2xf32>\n",
      "t.mlir");
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  ASSERT_EQ((*file)->diagnostics.size(), 1u);
  EXPECT_EQ(
      toString((*file)->diagnostics[0]),
      "t.mlir:1: warning: no-function: there is no function around these operations; taken as parameters: "
      "%arg0: tensor<4xf32>, %arg1: tensor<4xf32>");
  const Computation& entry = *(*file)->module->entry();
  EXPECT_EQ(entry.parameters().size(), 2u);
  EXPECT_EQ(entry.root()->opcodeText(), "slice");
}

TEST(StablehloBadInput, PlacesInOperationsWithoutAFunctionAreThoseOfTheText) {
  EXPECT_THAT(
      errorOf("%0 = stablehlo.add %a, %a : tensor<f32>\n%1 = stablehlo.frobnicate %0 : tensor<f32>\n"),
      HasSubstr("t.mlir:2:6: error: mlir-syntax: custom op 'stablehlo.frobnicate' is unknown"));
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

TEST(StablehloBadInput, LongExpressions) {
  const std::string minus =
      "#m = affine_map<(d0) -> (" + std::string(100'000, '-') + "d0)>\nfunc.func @main() { return }\n";
  EXPECT_THAT(errorOf(minus), HasSubstr("too-deep: more than 2000 operators in a row"));
}

// #a1 = [#a0, #a0] and so on: `count` of them, each `width` times the one before.
std::string aliases(char mark, const std::string& first, const std::string& open, int count, int width) {
  const auto name = [&](int n) { return std::string(1, mark) + "a" + std::to_string(n); };
  std::string text = "// func.func\n" + name(0) + " = " + first + "\n";
  for (int n = 1; n < count; ++n) {
    text += name(n) + " = " + open;
    for (int times = 0; times < width; ++times) text += (times > 0 ? ", " : "") + name(n - 1);
    text += open == "[" ? "]\n" : open == "tuple<" ? ">\n" : ")\n";
  }
  return text;
}

TEST(StablehloBadInput, AliasesThatMultiply) {
  const std::string main =
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.negate %a {mhlo.frontend_attributes = {x = #a59}} : tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n";
  EXPECT_THAT(errorOf(aliases('#', "[1]", "[", 60, 2) + main),
              HasSubstr("too-deep: an alias spells out to more than 1000000 parts"));
  EXPECT_THAT(errorOf(aliases('#', "[1]", "[", 100'000, 1) + main),
              HasSubstr("too-deep: aliases name one another more than 1000 deep"));
  EXPECT_THAT(errorOf(aliases('!', "tuple<tensor<f32>>", "tuple<", 60, 2) +
                      "func.func @main(%a: !a59) -> !a59 { return %a : !a59 }\n"),
              HasSubstr("too-deep: an alias spells out"));
}

TEST(StablehloBadInput, LocationsThatMultiply) {
  std::string text = "// func.func\n#l0 = loc(\"a\")\n";
  for (int n = 1; n < 60; ++n) {
    const std::string before = "#l" + std::to_string(n - 1);
    text += "#l" + std::to_string(n) + " = loc(callsite(" + before + " at " + before + "))\n";
  }
  EXPECT_THAT(
      hloOf(text + "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                   "  %0 = stablehlo.negate %a : tensor<f32> loc(#l59)\n  return %0 : tensor<f32>\n}\n"),
      HasSubstr("negate"));
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

// MLIR bytecode of a function that returns its argument, made by mlir-opt 22.
std::string identityBytecode() {
  const std::string hex =
      "4d4cef520d4d4c495232322e312e380001170501050701030b0305070f03210f07010f0b130b0b131313010713170702410509"
      "170101010d"
      "03050b17010303170103231701036f1b03110505030103010b043d050150030107042d0301050350090307041903030703030b"
      "0005040d03"
      "01060301050100690d0b1b0f0f0b116275696c74696e0066756e63006d6f64756c650072657475726e002f746d702f69642e6d"
      "6c6972006d"
      "61696e000817050501010d010501010701";
  std::string bytes;
  for (size_t n = 0; n + 1 < hex.size(); n += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(n, 2), nullptr, 16));
  return bytes;
}

TEST(StablehloBadInput, BytecodeWholeAndDamaged) {
  const std::string whole = identityBytecode();
  EXPECT_THAT(hloOf(whole), HasSubstr("ROOT parameter.2 = f32[4]{0} parameter(0)"));
  for (size_t size = 4; size < whole.size(); size += 5) {
    const auto cut = openBytes(whole.substr(0, size), "cut.mlirbc");
    ASSERT_FALSE(cut.has_value()) << size;
    EXPECT_EQ(cut.error().kind.substr(0, 5), "mlir-") << size;
  }
  for (size_t at = 4; at < whole.size(); at += 21) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    (void)openBytes(damaged, "damaged.mlirbc");  // an error or another module, never an end
  }
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
