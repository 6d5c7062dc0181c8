#include "ui/models/text_of.h"

#include <gtest/gtest.h>

#include "ui/models/literal_text.h"

namespace hilo {
namespace {

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
