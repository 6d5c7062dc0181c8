// Expressions of indices: what simplifying leaves, by hand, and that it changes no value, on random ones.
#include "core/analysis/indexing/affine_expression.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo {
namespace {

using Expression = AffineExpression;
const Expression a = Expression::variable(0), b = Expression::variable(1);
const std::vector<std::string> kNames = {"a", "b"};

// With a in [0, 5] and b in [0, 3].
std::string simple(const Expression& expression) {
  const std::vector<IndexRange> ranges = {{0, 5}, {0, 3}};
  return expression.simplified(ranges).text(kNames);
}

TEST(AffineExpression, IsWrittenInOrderAndOnce) {
  EXPECT_EQ((b * 2 + a - b).text(kNames), "a + b");
  EXPECT_EQ((a - a).text(kNames), "0");
  EXPECT_EQ((Expression(3) - b * 4).text(kNames), "-b * 4 + 3");
  EXPECT_EQ((a + b).dividedBy(3).text(kNames), "(a + b) floordiv 3");
  EXPECT_EQ((b.modulo(2) * 5 - Expression(1)).text(kNames), "(b mod 2) * 5 - 1");
}

TEST(AffineExpression, LosesDivisionsThatRangesDecide) {
  const Expression linear = a * 4 + b;
  EXPECT_EQ(simple(linear.dividedBy(4)), "a");
  EXPECT_EQ(simple(linear.modulo(4)), "b");
  EXPECT_EQ(simple(linear.dividedBy(8)), "a floordiv 2");
  EXPECT_EQ(simple(linear.modulo(8)), "b + (a mod 2) * 4");
  EXPECT_EQ(simple(linear.dividedBy(12).modulo(2)), "a floordiv 3");
  EXPECT_EQ(simple((b - Expression(4)).dividedBy(4)), "-1");
  EXPECT_EQ(simple((b + Expression(8)).modulo(4)), "b");
}

TEST(AffineExpression, SimplifiesFirstIndicesOfTiles) {
  EXPECT_EQ(simple((a * 8).modulo(48)), "a * 8");
  EXPECT_EQ(simple((a * 2).dividedBy(6)), "a floordiv 3");
  EXPECT_EQ(simple(a * 16 + Expression(300)), "a * 16 + 300");
  EXPECT_EQ(simple((a * 16 + b * 2).dividedBy(20)), "(a * 8 + b) floordiv 10");
  EXPECT_EQ(simple((a * 16 + b * 2).modulo(100)), "a * 16 + b * 2");
}

TEST(AffineExpression, IsWrittenSoThatItCanBeReadInOneWay) {
  EXPECT_EQ((Expression(3) - a.dividedBy(8)).text(kNames), "-(a floordiv 8) + 3");
  EXPECT_EQ((b - a.dividedBy(8)).text(kNames), "b - a floordiv 8");
}

TEST(AffineExpression, JoinsWhatWasTakenApart) {
  const Expression whole = a * 7 + b;
  EXPECT_EQ(simple(whole.dividedBy(3) * 3 + whole.modulo(3)), "a * 7 + b");
  EXPECT_EQ(simple(whole.dividedBy(12) * 12 + whole.dividedBy(4).modulo(3) * 4 + whole.modulo(4)),
            "a * 7 + b");
  EXPECT_EQ(simple(whole.dividedBy(2).dividedBy(5)), "(a * 7 + b) floordiv 10");
  EXPECT_EQ(simple(whole.modulo(12).modulo(4)), "(a * 7 + b) mod 4");
}

TEST(AffineExpression, OfAnEmptyOrHostileRangeStops) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((Expression(kMost) + Expression(kMost)).constant(), kMost);
  EXPECT_EQ((a * kMost * -2).terms()[0].factor, std::numeric_limits<int64_t>::min());
}

Expression randomExpression(std::mt19937_64& random, int depth) {
  const auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  if (depth == 0) return number(0, 3) == 0 ? Expression(number(-9, 9)) : number(0, 1) == 0 ? a : b;
  const Expression x = randomExpression(random, depth - 1), y = randomExpression(random, depth - 1);
  switch (number(0, 4)) {
    case 0:
      return x + y;
    case 1:
      return x - y;
    case 2:
      return x * number(-12, 12);
    case 3:
      return x.dividedBy(number(1, 12));
    default:
      return x.modulo(number(1, 12));
  }
}

TEST(AffineExpression, MeansTheSameWhenSimplified) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 3000; ++round) {
    const Expression given = randomExpression(random, 4);
    const std::vector<IndexRange> ranges = {{0, 11}, {-3, 7}};
    const Expression simplified = given.simplified(ranges);
    const IndexRange all = simplified.range(ranges);
    for (int64_t x = 0; x <= 11; ++x) {
      for (int64_t y = -3; y <= 7; ++y) {
        const std::vector<int64_t> values = {x, y};
        ASSERT_EQ(given.evaluate(values), simplified.evaluate(values))
            << given.text(kNames) << " became " << simplified.text(kNames);
        ASSERT_TRUE(all.contains(simplified.evaluate(values))) << simplified.text(kNames);
      }
    }
  }
}

}  // namespace
}  // namespace hilo
