// Where an expression's values over a tile are evenly apart: by hand, and against an enumeration.
#include "core/analysis/tiling/progression.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace hilo {
namespace {

using Expression = AffineExpression;
const Expression a = Expression::variable(0), b = Expression::variable(1);
const std::vector<std::string> kNames = {"a", "b"};

// "first: COUNT by STRIDE", or why not. a is in [0, 24), b in [0, 8).
std::string walk(const Expression& expression, int64_t tileOfA, int64_t tileOfB = 1) {
  const std::vector<VariableTile> tiles = {{tileOfA, 24}, {tileOfB, 8}};
  const auto progression = progressionOf(expression, tiles, kNames);
  if (!progression) return progression.error().message;
  return progression->first.text(kNames) + ": " + std::to_string(progression->count) + " by " +
         std::to_string(progression->stride);
}

TEST(Progression, OfOneVariable) {
  EXPECT_EQ(walk(a, 4), "a: 4 by 1");
  EXPECT_EQ(walk(a * 3 + Expression(2), 4), "a * 3 + 2: 4 by 3");
  EXPECT_EQ(walk(Expression(23) - a, 4), "-a + 23: 4 by -1");
  EXPECT_EQ(walk(a, 32), "0: 24 by 1");
  EXPECT_EQ(walk(a, 1), "a: 1 by 0");
}

TEST(Progression, DividesAlongTiles) {
  EXPECT_EQ(walk(a.dividedBy(6), 12), "a floordiv 6: 2 by 1");
  EXPECT_EQ(walk(a.modulo(6), 12), "0: 6 by 1");
  EXPECT_EQ(walk(a.dividedBy(6), 3), "a floordiv 6: 1 by 0");
  EXPECT_EQ(walk(a.modulo(6), 3), "a mod 6: 3 by 1");
  EXPECT_EQ(
      walk(a.modulo(6), 4),
      "a takes 4 values 1 apart, which multiples of 6 cut: the tile of a has to divide 6 or to be a multiple "
      "of it");
}

TEST(Progression, JoinsWhereTheFinerReachesTheCoarser) {
  EXPECT_EQ(walk(a * 8 + b, 2, 8), "a * 8: 16 by 1");
  EXPECT_EQ(walk(a * 8 + b, 1, 4), "a * 8 + b: 4 by 1");
  EXPECT_EQ(walk(a * 8 + b, 2, 4),
            "the values of a * 8 + b are not evenly apart: 4 with stride 1, then a step of 8");
  EXPECT_EQ(walk(a + b, 4, 3), "a + b: 6 by 1");  // windows that overlap
}

TEST(Progression, OfPartsOfOneVariableOnlyWhereTheyVaryFreely) {
  EXPECT_EQ(walk(a.dividedBy(2) + a, 4), "the parts of a + a floordiv 2 do not vary independently");
  EXPECT_EQ(walk(a.dividedBy(4) * 4 + a.modulo(2), 4), "(a floordiv 4) * 4 + a mod 2: 2 by 1");
}

Expression randomExpression(std::mt19937_64& random, int depth) {
  const auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  if (depth == 0) return number(0, 1) == 0 ? a : b;
  const Expression x = randomExpression(random, depth - 1);
  switch (number(0, 4)) {
    case 0:
      return x.dividedBy(number(1, 8));
    case 1:
      return x.modulo(number(1, 8));
    case 2:
      return x * number(-3, 8);
    case 3:
      return x + randomExpression(random, depth - 1) * number(1, 8);
    default:
      return x + Expression(number(-6, 6));
  }
}

std::set<int64_t> enumerated(const Expression& expression, std::span<const VariableTile> tiles,
                             std::span<const int64_t> first) {
  std::set<int64_t> values;
  for (int64_t i = 0; i < tiles[0].count(); ++i) {
    for (int64_t j = 0; j < tiles[1].count(); ++j) {
      const int64_t at[] = {first[0] + i, first[1] + j};
      values.insert(expression.evaluate(at));
    }
  }
  return values;
}

TEST(Progression, IsExactlyTheValuesTaken) {
  std::mt19937_64 random(7);
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto pick = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(1, most)(random); };
    const std::vector<VariableTile> tiles = {{pick(26), 24}, {pick(10), 8}};
    const Expression expression = randomExpression(random, 3);
    const auto progression = progressionOf(expression, tiles, kNames);
    if (!progression) continue;
    ++taken;
    for (int64_t x = 0; x < tiles[0].size; x += tiles[0].tile) {
      for (int64_t y = 0; y < tiles[1].size; y += tiles[1].tile) {
        const int64_t first[] = {x, y};
        std::set<int64_t> walked;
        for (int64_t i = 0; i < progression->count; ++i)
          walked.insert(progression->first.evaluate(first) + i * progression->stride);
        ASSERT_EQ(walked, enumerated(expression, tiles, first))
            << expression.text(kNames) << " in tiles of " << tiles[0].tile << ", " << tiles[1].tile;
        ASSERT_EQ(walked.size(), static_cast<size_t>(progression->count)) << expression.text(kNames);
      }
    }
  }
  EXPECT_GT(taken, 8000);
}

}  // namespace
}  // namespace hilo
