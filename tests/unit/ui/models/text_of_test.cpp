#include "ui/models/text_of.h"

#include <gtest/gtest.h>

#include "ui/models/literal_text.h"

namespace hilo {
namespace {

TEST(TextOf, BytesInPowersOf1024) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(bytesText(int64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(bytesText(-1), "unknown");
  EXPECT_EQ(bytesText(std::numeric_limits<int64_t>::max()), ">= 8 EiB");
}

TEST(TextOf, CountsWithSeparators) {
  EXPECT_EQ(countText(0), "0");
  EXPECT_EQ(countText(999), "999");
  EXPECT_EQ(countText(1000), "1,000");
  EXPECT_EQ(countText(1234567), "1,234,567");
  EXPECT_EQ(countText(-1000), "-1,000");
  EXPECT_EQ(countText(-100), "-100");
}

TEST(TextOf, Durations) {
  EXPECT_EQ(durationText(812), "812 ns");
  EXPECT_EQ(durationText(1240000), "1.24 ms");
  EXPECT_EQ(durationText(25'000'000'000), "25.0 s");
}

TEST(TextOf, ADiagnosticInOneLineHasItsFirstNote) {
  EXPECT_EQ(lineOf({.message = "m cannot be run"}), "m cannot be run");
  EXPECT_EQ(lineOf({.message = "m cannot be run", .notes = {"no emitter for infeed", "and more"}}),
            "m cannot be run: no emitter for infeed");
}

TEST(TextOf, LongTupleShapesAreCut) {
  const Shape element = Shape::array(ElementType::F32, {2, 3});
  const std::vector<Shape> few(2, element);
  EXPECT_EQ(shapeText(Shape::tuple(few)), "(f32[2,3], f32[2,3])");
  const std::vector<Shape> many(100, element);
  const QString cut = shapeText(Shape::tuple(many), 40);
  EXPECT_LT(cut.size(), 60);
  EXPECT_TRUE(cut.contains("..."));
}

TEST(LiteralText, ShowsValuesAndCountsTheRest) {
  Literal literal(Shape::array(ElementType::S32, {5}));
  for (int i = 0; i < 5; ++i) literal.mutableData<int32_t>()[static_cast<size_t>(i)] = i * i;
  EXPECT_EQ(literalText(literal), "{0, 1, 4, 9, 16}");
  EXPECT_EQ(literalText(literal, 2), "{0, 1, ... 3 more}");
  EXPECT_EQ(elementText(literal, 7), "");
  EXPECT_EQ(literalText(Literal::scalar<float>(ElementType::F32, 1.5F)), "1.5");
  EXPECT_TRUE(literalText(Literal::elided(Shape::array(ElementType::F32, {3}))).startsWith("{...}"));
}

}  // namespace
}  // namespace hilo
