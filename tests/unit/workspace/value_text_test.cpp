// Arrays as people write and paste them.
#include "core/workspace/run/value_text.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Shape shapeOf(const char* text) {
  auto shape = parseShape(text);
  EXPECT_TRUE(shape) << text;
  return *shape;
}

void expectSame(const char* text, const char* shape, const char* hlo) {
  const auto value = valueOfText(text, shapeOf(shape));
  ASSERT_TRUE(value) << text << ": " << toString(value.error());
  const auto expected = parseLiteral(hlo, shapeOf(shape));
  ASSERT_TRUE(expected) << hlo;
  EXPECT_EQ(*value, *expected) << text;
  EXPECT_TRUE(isValueText(text)) << text;
}

TEST(ValueText, AsHloWritesIt) {
  expectSame("{1, 2.5, -inf}", "f32[3]", "{1, 2.5, -inf}");
  expectSame("f32[2,2] { { 1, 2 }, { 3, 4 } }", "f32[2,2]{1,0}", "{{1,2},{3,4}}");
  expectSame("f32[2,2]{1,0} {{1,2},{3,4}}", "f32[2,2]{0,1}", "{{1,2},{3,4}}");
  expectSame("{true, false}", "pred[2]", "{true, false}");
  expectSame("{(1, 2), (3, -4)}", "c64[2]", "{(1, 2), (3, -4)}");
}

TEST(ValueText, AsNumPyAndJaxPrintIt) {
  expectSame("[[1. 2.]\n [3. 4.]]", "f32[2,2]", "{{1,2},{3,4}}");
  expectSame("array([ 1, -2,\n        3], dtype=int32)", "s32[3]", "{1,-2,3}");
  expectSame("Array([0.5, nan], dtype=float32)", "f32[2]", "{0.5, nan}");
  expectSame("[ True False]", "pred[2]", "{true, false}");
  expectSame("[1.+2.j 3.-4.j]", "c64[2]", "{(1, 2), (3, -4)}");
  expectSame("[[[1]],[[2]]]", "s8[2,1,1]", "{{{1}},{{2}}}");
}

TEST(ValueText, MadeByARule) {
  expectSame("iota", "s32[2,3]", "{{0,1,2},{3,4,5}}");
  expectSame("ones", "bf16[2]", "{1,1}");
  expectSame("zeros", "pred[2]", "{false,false}");
  expectSame("2.5", "f32[2,2]", "{{2.5,2.5},{2.5,2.5}}");
  expectSame("-7", "s32[]", "-7");
  const auto once = valueOfText("normal(3)", shapeOf("f32[100]")),
             again = valueOfText("normal(3)", shapeOf("f32[100]"));
  ASSERT_TRUE(once && again);
  EXPECT_EQ(*once, *again);
  EXPECT_NE(*once, *valueOfText("normal(4)", shapeOf("f32[100]")));
  const auto fractions = valueOfText("uniform(1)", shapeOf("f64[100]"));
  ASSERT_TRUE(fractions);
  for (const double number : fractions->data<double>()) EXPECT_TRUE(number > 0 && number < 1) << number;
}

TEST(ValueText, WhatIsRefusedSaysWhy) {
  for (const char* text : {"{1, 2}", "[1 2 3", "[[1 2 3]]", "[1 2 ... 9]", "{...}", "f32[4]{0} {1,2,3,4}",
                           "normal(x)", "iota(3)", "s99[3] {1,2,3}", "[1 x 3]", "", "{1,2,3", "f32[3]"}) {
    const auto value = valueOfText(text, shapeOf("f32[3]"));
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().kind, "bad-value") << text;
    EXPECT_FALSE(value.error().notes.empty()) << text;
  }
  EXPECT_FALSE(valueOfText("ones", shapeOf("(f32[3], f32[])")));
}

TEST(ValueText, FilesAreNoValues) {
  for (const char* text : {"weights.npy", "/tmp/f32[3].npz", "ones.npy", "data", "../x"})
    EXPECT_FALSE(isValueText(text)) << text;
}

}  // namespace
}  // namespace hilo
