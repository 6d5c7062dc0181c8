#include "ui/shell/fuzzy_match.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(FuzzyMatch, NeedsEveryLetterInOrder) {
  EXPECT_EQ(fuzzyScore("xyz", "fusion.1"), -1);
  EXPECT_EQ(fuzzyScore("1f", "fusion.1"), -1);
  EXPECT_GE(fuzzyScore("fs1", "fusion.1"), 0);
  EXPECT_GE(fuzzyScore("FUS", "fusion.1"), 0);
  EXPECT_EQ(fuzzyScore("longer than the name", "name"), -1);
}

TEST(FuzzyMatch, PrefersStartThenWordThenInside) {
  const int start = fuzzyScore("dot", "dot.5");
  const int word = fuzzyScore("dot", "my_dot.5");
  const int inside = fuzzyScore("dot", "anecdote");
  const int scattered = fuzzyScore("dot", "dynamic_outer_tuple");
  EXPECT_GT(start, word);
  EXPECT_GT(word, inside);
  EXPECT_GT(inside, scattered);
  EXPECT_GT(scattered, 0);
}

TEST(FuzzyMatch, ShorterNamesFirst) { EXPECT_GT(fuzzyScore("dot", "dot.1"), fuzzyScore("dot", "dot.1234")); }

}  // namespace
}  // namespace hilo
