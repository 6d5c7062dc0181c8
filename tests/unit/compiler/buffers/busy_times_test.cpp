#include "core/compiler/buffers/busy_times.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo {
namespace {

using Uses = std::vector<std::vector<LiveRange>>;  // by place

bool overlapInside(const LiveRange& a, const LiveRange& b) { return a.start < b.end && b.start < a.end; }

// What is tried when none is taken.
std::vector<uint32_t> tried(const BusyTimes& busy, const std::vector<LiveRange>& times) {
  std::vector<uint32_t> places;
  EXPECT_FALSE(busy.tryFree(times, [&](uint32_t place) {
    places.push_back(place);
    return false;
  }));
  return places;
}

LiveRange randomTime(std::mt19937& random, int64_t end) {
  const int64_t longest = std::uniform_int_distribution<int64_t>(0, 1)(random) ? 40 : end;
  const int64_t start = std::uniform_int_distribution<int64_t>(0, end)(random);
  return {start, std::min(end, start + std::uniform_int_distribution<int64_t>(0, longest)(random))};
}

// None that is free, or taken up to where the time begins or from where it ends, is left out.
TEST(BusyTimes, LeavesOutOnlyWhatIsTaken) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    constexpr int64_t kEnd = 3000;
    constexpr uint32_t kPlaces = 150;
    BusyTimes busy(kEnd, kPlaces);
    Uses uses(kPlaces);
    for (uint32_t place = 0; place < kPlaces; ++place) {
      ASSERT_EQ(busy.addPlace(), place);
      for (int i = 0; i < 3; ++i) busy.take(place, uses[place].emplace_back(randomTime(random, kEnd)));
    }
    for (int i = 0; i < 200; ++i) {
      const std::vector<LiveRange> times = {randomTime(random, kEnd), randomTime(random, kEnd)};
      const std::vector<uint32_t> places = tried(busy, times);
      EXPECT_TRUE(std::ranges::is_sorted(places, std::greater()));
      for (uint32_t place = 0; place < kPlaces; ++place) {
        const bool taken = std::ranges::any_of(uses[place], [&](const LiveRange& use) {
          return overlapInside(use, times[0]) || overlapInside(use, times[1]);
        });
        if (!taken) {
          EXPECT_NE(std::ranges::find(places, place), places.end());
        }
      }
    }
  }
}

TEST(BusyTimes, TriesTheNewestFirstUntilOneIsTaken) {
  BusyTimes busy(100, 70);
  for (uint32_t place = 0; place < 70; ++place) busy.addPlace();
  uint32_t last = 70;
  const std::vector<LiveRange> times = {{10, 20}};
  EXPECT_TRUE(busy.tryFree(times, [&](uint32_t place) {
    EXPECT_EQ(place, last - 1);
    last = place;
    return place == 3;
  }));
  EXPECT_EQ(last, 3u);
}

// A training step: thousands of places hold values of long times, and hundreds of thousands of values of
// short times look for one that is free. What is tried must not grow with the places.
TEST(BusyTimes, TriesFewWhereMostAreTaken) {
  constexpr int64_t kEnd = 400'000;
  constexpr uint32_t kPlaces = 4000;
  BusyTimes busy(kEnd, kPlaces);
  for (uint32_t place = 0; place < kPlaces; ++place) {
    busy.addPlace();
    busy.take(place, {place * 50, kEnd - place * 50});
    busy.take(place, {kEnd - place * 50, kEnd});
  }
  size_t tries = 0, searches = 0;
  for (int64_t start = kEnd / 2; start + 10 < kEnd; start += 100, ++searches) {
    const std::vector<LiveRange> times = {{start, start + 10}};
    tries += tried(busy, times).size();
  }
  EXPECT_LT(tries, 16 * searches);
}

// Where the order is not known all are tried.
TEST(BusyTimes, TriesAllWhereNoTimesAreGiven) {
  BusyTimes busy(0, 3);
  for (int i = 0; i < 3; ++i) busy.take(busy.addPlace(), {5, 900});
  EXPECT_EQ(tried(busy, {}), (std::vector<uint32_t>{2, 1, 0}));
}

}  // namespace
}  // namespace hilo
