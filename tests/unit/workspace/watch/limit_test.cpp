#include "core/workspace/watch/limit.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(WatchLimit, OfAFactorIsHeldAgainstWhatItWas) {
  const auto limit = parseLimit("1.5x");
  ASSERT_TRUE(limit);
  EXPECT_FALSE(limit->isOver(100, 150));
  EXPECT_TRUE(limit->isOver(100, 151));
}

TEST(WatchLimit, OfAnAmountHasItsUnit) {
  EXPECT_TRUE(parseLimit("2KiB")->isOver(1e9, 2049));
  EXPECT_FALSE(parseLimit("2KiB")->isOver(0, 2048));
  EXPECT_TRUE(parseLimit("20ms")->isOver(0, 20.1e6));
  EXPECT_FALSE(parseLimit("20ms")->isOver(0, 19.9e6));
  EXPECT_TRUE(parseLimit("7")->isOver(0, 8));
}

TEST(WatchLimit, ThatIsNoneIsRefused) {
  for (const char* text : {"", "x", "-1", "1.5y", "1.5 x", "GiB", "1e400x"}) {
    const auto limit = parseLimit(text);
    ASSERT_FALSE(limit) << text;
    EXPECT_EQ(limit.error().kind, "bad-watcher");
  }
}

}  // namespace
}  // namespace hilo
