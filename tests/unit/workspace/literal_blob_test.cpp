#include "core/workspace/store/literal_blob.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Literal sample() {
  Literal array(Shape::array(ElementType::S32, {3}));
  for (int i = 0; i < 3; ++i) array.mutableData<int32_t>()[i] = 10 * i;
  const bool dynamic[] = {true};
  const int64_t sizes[] = {4};
  Literal bounded(Shape::dynamicArray(ElementType::Pred, sizes, dynamic));
  bounded.setDynamicSizes({2});
  return Literal::tuple({array, Literal::tuple({bounded, Literal(Shape::token())})});
}

TEST(LiteralBlob, ComesBackEqual) {
  const auto blob = literalToBlob(sample(), 1 << 20);
  ASSERT_TRUE(blob);
  const auto back = literalFromBlob(*blob);
  ASSERT_TRUE(back) << toString(back.error());
  EXPECT_EQ(*back, sample());
  EXPECT_EQ(back->elements()[1].elements()[0].dynamicSizes()[0], 2);
}

TEST(LiteralBlob, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(literalToBlob(Literal(Shape::array(ElementType::F32, {100})), 200));
  EXPECT_FALSE(literalToBlob(Literal::elided(Shape::array(ElementType::F32, {1})), 1 << 20));
}

TEST(LiteralBlob, EveryTruncationIsRefused) {
  const std::string blob = *literalToBlob(sample(), 1 << 20);
  for (size_t length = 0; length < blob.size(); ++length) {
    EXPECT_FALSE(literalFromBlob(std::string_view(blob).substr(0, length))) << length;
  }
  EXPECT_EQ(literalFromBlob(blob + "x").error().kind, "corrupt-literal");
}

}  // namespace
}  // namespace hilo
