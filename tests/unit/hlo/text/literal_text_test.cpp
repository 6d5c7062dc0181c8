#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

std::string roundTrip(std::string_view shape, std::string_view text) {
  const auto literal = parseLiteral(text, *parseShape(shape));
  if (!literal) return literal.error().kind;
  std::string out;
  PrintOptions options;
  options.largeConstants = true;
  appendLiteral(out, *literal, options);
  return out;
}

TEST(LiteralText, ScalarsOfEveryClass) {
  EXPECT_EQ(roundTrip("pred[]", "true"), "true");
  EXPECT_EQ(roundTrip("s4[]", "-8"), "-8");
  EXPECT_EQ(roundTrip("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(roundTrip("s64[]", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(roundTrip("f32[]", "0.1"), "0.1");
  EXPECT_EQ(roundTrip("f64[]", "0.1"), "0.1");
  EXPECT_EQ(roundTrip("bf16[]", "-inf"), "-inf");
  EXPECT_EQ(roundTrip("f32[]", "nan"), "nan");
  EXPECT_EQ(roundTrip("f32[]", "-nan"), "-nan");
  EXPECT_EQ(roundTrip("f32[]", "nan(0x123)"), "nan(0x123)");
  EXPECT_EQ(roundTrip("f8e4m3fn[]", "448"), "448");
  EXPECT_EQ(roundTrip("c64[]", "(1, -2.5)"), "(1, -2.5)");
  EXPECT_EQ(roundTrip("f32[]", "1e-05"), "1e-05");
  EXPECT_EQ(roundTrip("f32[]", "1"), "1");
}

TEST(LiteralText, ArraysInXlasSpacing) {
  EXPECT_EQ(roundTrip("s32[3]", "{1,2,3}"), "{1, 2, 3}");
  EXPECT_EQ(roundTrip("pred[3]", "{true,0,1}"), "{1, 0, 1}");
  EXPECT_EQ(roundTrip("s32[2,2]", "{{1,2},{3,4}}"), "{ { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(roundTrip("s32[2,1]", "{{1},{2}}"), "{ {1}, {2} }");
  EXPECT_EQ(roundTrip("s32[1,1,2]", "{{{1,2}}}"), "{ { { 1, 2 } } }");
  EXPECT_EQ(roundTrip("s32[1,2,1,2]", "{{{{1,2}},{{3,4}}}}"),
            "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }");
  EXPECT_EQ(roundTrip("s32[0]", "{}"), "{}");
  EXPECT_EQ(roundTrip("s32[2,0]", "{ {}, {} }"), "{ {}, {} }");
  EXPECT_EQ(roundTrip("s32[2]{0}", "{ /*a*/ 1 , 2 }"), "{1, 2}");
}

TEST(LiteralText, ElidedAndTuples) {
  EXPECT_EQ(roundTrip("f32[1000,1000]", "{...}"), "{...}");
  EXPECT_EQ(roundTrip("(s32[], f32[2])", "(1, {2, 3})"), "( 1, {2, 3} )");
  EXPECT_EQ(roundTrip("(s32[], (pred[]))", "(1, (true))"), "( 1, ( true ) )");
  EXPECT_EQ(roundTrip("(s32[], f32[9])", "{...}"), "{...}");
}

TEST(LiteralText, LargeOnesAreElidedOnDemand) {
  const auto literal = parseLiteral("{0,1,2,3,4,5,6,7,8,9,10}", *parseShape("s32[11]"));
  ASSERT_TRUE(literal.has_value());
  std::string out;
  appendLiteral(out, *literal, {});
  EXPECT_EQ(out, "{...}");
}

TEST(LiteralText, WithItsShapeInFront) {
  const auto literal = parseLiteral("s32[<=4]{0}(2) {7, 8}");
  ASSERT_TRUE(literal.has_value());
  EXPECT_EQ(literal->data<int32_t>()[1], 8);
  EXPECT_EQ(literal->dynamicSizes()[0], 2);
  std::string out;
  appendShapedLiteral(out, *literal);
  EXPECT_EQ(out, "s32[<=4]{0}(2) {7, 8}");
}

TEST(LiteralText, RefusesWhatDoesNotFit) {
  EXPECT_EQ(roundTrip("s8[]", "128"), "literal-out-of-range");
  EXPECT_EQ(roundTrip("s32[]", "1.5"), "unexpected-token");
  EXPECT_EQ(roundTrip("s32[2]", "{1}"), "literal-wrong-size");
  EXPECT_EQ(roundTrip("s32[2]", "{1,2,3}"), "literal-wrong-size");
  EXPECT_EQ(roundTrip("s32[2,2]", "{1,2}"), "unexpected-token");
  EXPECT_EQ(roundTrip("(s32[])", "(1, 2)"), "literal-wrong-size");
  EXPECT_EQ(roundTrip("f32[1099511627776]", "{1}"), "literal-wrong-size");
  EXPECT_EQ(roundTrip("f32[1099511627776]", "1"), "literal-too-large");
}

}  // namespace
}  // namespace hilo
