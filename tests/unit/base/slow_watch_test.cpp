#include "core/base/slow_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000'000;

class SlowWatchTest : public testing::Test {
 protected:
  void lookAt(int64_t seconds) {
    now = seconds * kSecond;
    due = watch.look();
  }
  int64_t now = 0, due = 0;
  std::vector<std::string> told, heard;
  TellSlow tell = [this](const std::string& text) { told.push_back(text); };
  SlowWatch watch{[this] { return now; }, 10 * kSecond};
};

TEST_F(SlowWatchTest, onceEachTimeItDoubles) {
  std::optional<SlowWatch::Work> work(std::in_place, watch, "the pass slow", tell);
  for (int64_t second = 0; second < 100; ++second) lookAt(second);
  EXPECT_THAT(told,
              ElementsAre("the pass slow has taken 10 s so far", "the pass slow has taken 20 s so far",
                          "the pass slow has taken 40 s so far", "the pass slow has taken 80 s so far"));
  EXPECT_EQ(due, 160 * kSecond);
  now = 101 * kSecond;
  work.reset();
  EXPECT_EQ(told.size(), 5u);
  EXPECT_EQ(told.back(), "the pass slow took 101 s");
  lookAt(1000);
  EXPECT_EQ(told.size(), 5u);
  EXPECT_EQ(due, std::numeric_limits<int64_t>::max());
}

TEST_F(SlowWatchTest, quickWorkIsNotToldOf) {
  {
    const SlowWatch::Work work(watch, "the pass quick", tell);
    lookAt(9);
    EXPECT_EQ(due, 10 * kSecond);
  }
  lookAt(50);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(SlowWatchTest, lookedAtLateItIsToldOfOnce) {
  const SlowWatch::Work work(watch, "a kernel", tell);
  lookAt(35);
  EXPECT_THAT(told, ElementsAre("a kernel has taken 35 s so far"));
  EXPECT_EQ(due, 40 * kSecond);
}

// Each has a clock of its own; the next due is the first of all.
TEST_F(SlowWatchTest, severalAtOnce) {
  watch.setListener([this](const std::string& text) { heard.push_back(text); });
  const SlowWatch::Work first(watch, "one", tell);
  now = 4 * kSecond;
  const TellSlow nobody;
  const SlowWatch::Work second(watch, "two", nobody);
  lookAt(10);
  EXPECT_EQ(due, 14 * kSecond);
  lookAt(14);
  EXPECT_EQ(due, 20 * kSecond);
  EXPECT_THAT(told, ElementsAre("one has taken 10 s so far"));
  EXPECT_THAT(heard, ElementsAre("one has taken 10 s so far", "two has taken 10 s so far"));
}

TEST(SlowWatch, theProcessHasOne) {
  const TellSlow nobody;
  const SlowWatch::Work work(SlowWatch::ofProcess(), "this test", nobody);
  EXPECT_EQ(&SlowWatch::ofProcess(), &SlowWatch::ofProcess());
}

}  // namespace
}  // namespace hilo
