#include "core/compiler/buffers/best_fit_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace hilo {
namespace {

HeapBlock block(int64_t size, int64_t start, int64_t end) { return {size, {{start, end}}}; }

TEST(BestFitHeap, PutsTheLargestFirstAndFillsTheTightestHole) {
  // The 10 lies at 0; 40 and 20 live at other times and leave room; 10 more fits behind the 20.
  const std::vector<HeapBlock> blocks = {block(10, 0, 9), block(40, 0, 2), block(20, 3, 5), block(20, 4, 9)};
  const HeapLayout layout = layOutHeap(blocks, 1, HeapOrder::BySize);
  EXPECT_EQ(layout.offsets[1], 0);
  EXPECT_EQ(layout.offsets[3], 0);
  EXPECT_EQ(layout.offsets[2], 20);
  EXPECT_EQ(layout.offsets[0], 40);
  EXPECT_EQ(layout.heapBytes, 50);
  EXPECT_EQ(maxLiveBytes(blocks), 50);
}

TEST(BestFitHeap, KeepsColocatedTimesInOnePlace) {
  const std::vector<HeapBlock> blocks = {{8, {{0, 1}, {6, 8}}}, block(8, 2, 5), block(8, 7, 9)};
  const HeapLayout layout = layOutHeap(blocks, 1, HeapOrder::BySize);
  EXPECT_NE(layout.offsets[2], layout.offsets[0]);
  EXPECT_EQ(layout.heapBytes, 16);
}

TEST(BestFitHeap, AlignsAndLeavesEmptyBlocksAtTheStart) {
  const std::vector<HeapBlock> blocks = {block(5, 0, 1), block(3, 0, 1), block(0, 0, 1)};
  const HeapLayout layout = layOutHeap(blocks, 64, HeapOrder::BySize);
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 64, 0}));
  EXPECT_EQ(layout.heapBytes, 67);
}

TEST(BestFitHeap, TakesTheBestOrder) {
  // By size the 4s and then the 3s stagger; coming in order they need no more than is live.
  const std::vector<HeapBlock> blocks = {block(3, 0, 1), block(4, 1, 2), block(3, 2, 3), block(4, 3, 4)};
  for (const HeapOrder order : kHeapOrders)
    EXPECT_GE(layOutHeap(blocks, 1, order).heapBytes, layOutHeap(blocks, 1).heapBytes);
  EXPECT_EQ(layOutHeap(blocks, 1).heapBytes, maxLiveBytes(blocks));
}

// XLA's own heaps, by what it allocates and frees in turn: "a10" is 10 bytes for a new block, a capital ends
// one, "=a30" has block a again with 30 bytes.
struct Played {
  std::vector<HeapBlock> blocks;
};
Played play(std::string_view events) {
  Played played;
  int64_t clock = 0;
  for (size_t i = 0; i < events.size(); ++clock) {
    const bool again = events[i] == '=';
    i += again;
    const char letter = events[i++];
    if (letter >= 'A' && letter <= 'Z') {
      played.blocks[static_cast<size_t>(letter - 'A')].times.back().end = clock;
    } else {
      int64_t size = 0;
      for (; i < events.size() && events[i] >= '0' && events[i] <= '9'; ++i)
        size = size * 10 + (events[i] - '0');
      const auto at = static_cast<size_t>(letter - 'a');
      if (played.blocks.size() <= at) played.blocks.resize(at + 1);
      played.blocks[at].sizeBytes = std::max(played.blocks[at].sizeBytes, size);
      played.blocks[at].times.push_back({clock, clock});
    }
    while (i < events.size() && events[i] == ' ') ++i;
  }
  return played;
}

struct HeapRow {
  const char* name;
  const char* events;
  int64_t alignment;
  int64_t heapBytes;
  std::vector<int64_t> offsets;
};
const HeapRow kHeaps[] = {
    {"Empty", "", 1, 0, {}},
    {"DecreasingSize", "a10 b30 c20 d40 A B C D", 1, 100, {90, 40, 70, 0}},
    {"DecreasingSizeWithAlignment", "a10 b16 c50 A d40 B C D", 16, 120, {64, 104 + 8, 0, 64}},
    {"BestFit", "a10 b20 c40 A d30 e50 B C D E", 1, 140, {90, 120, 50, 90, 0}},
    {"Colocated", "a40 A b20 B =a40 A", 1, 40, {0, 0}},
    {"ColocatedII", "a40 A b20 =a40 A B", 1, 60, {0, 40}},
    {"ColocatedIII", "a10 A b30 =a10 A B", 1, 40, {30, 0}},
    {"ColocatedDifferentSize1", "a40 A b20 =a30 A B", 1, 60, {0, 40}},
    {"ColocatedDifferentSize2", "a40 A b20 =a50 A B", 1, 70, {0, 50}},
};

class XlaHeaps : public testing::TestWithParam<HeapRow> {};
TEST_P(XlaHeaps, AreLaidOutAlike) {
  const auto [name, events, alignment, heapBytes, offsets] = GetParam();
  const HeapLayout layout = layOutHeap(play(events).blocks, alignment, HeapOrder::BySize);
  EXPECT_EQ(layout.offsets, offsets);
  if (alignment == 1) EXPECT_EQ(layout.heapBytes, heapBytes);
}
INSTANTIATE_TEST_SUITE_P(All, XlaHeaps, testing::ValuesIn(kHeaps),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MaxLiveBytes, IsWhatIsTakenAtOnce) {
  EXPECT_EQ(maxLiveBytes(play("").blocks), 0);
  EXPECT_EQ(maxLiveBytes(play("a10 b20 c30 d30 A B C D").blocks), 90);
  EXPECT_EQ(maxLiveBytes(play("a10 b20 B c30 C d5 D A").blocks), 40);
}

TEST(LimitedHeaps, OpenANewHeapForWhatDoesNotFit) {
  const LimitedHeaps four = layOutHeaps(play("a10 b30 c20 d40 A B C D").blocks, 1, HeapOrder::BySize, 50);
  EXPECT_EQ(four.heapBytes, (std::vector<int64_t>{50, 50}));
  EXPECT_EQ(four.heapOf, (std::vector<uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(four.offsets, (std::vector<int64_t>{40, 0, 30, 0}));
  const LimitedHeaps aligned = layOutHeaps(play("a10 b20 c50 A d40 B C D").blocks, 16, HeapOrder::BySize, 75);
  EXPECT_EQ(aligned.heapOf, (std::vector<uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(aligned.offsets, (std::vector<int64_t>{64, 48, 0, 0}));
  const LimitedHeaps colocated = layOutHeaps(play("a30 A b20 =a40 A B").blocks, 16, HeapOrder::BySize, 50);
  EXPECT_EQ(colocated.heapBytes, (std::vector<int64_t>{40, 20}));
  // One block larger than the limit has a heap to itself.
  EXPECT_EQ(layOutHeaps(play("a90 b10 A B").blocks, 1, HeapOrder::BySize, 50).heapBytes,
            (std::vector<int64_t>{90, 10}));
}

// Holes of different tightness at different times, one after the other.
TEST(BestFitHeap, TakesTheTightestHoleAtATime) {
  const std::vector<HeapBlock> blocks = {block(10, 0, 20), block(8, 2, 8), block(6, 10, 14), block(5, 4, 12)};
  const HeapLayout layout = layOutHeap(blocks, 1, HeapOrder::BySize);
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 10, 10, 18}));
  EXPECT_EQ(layout.heapBytes, 23);
}

std::vector<HeapBlock> randomBlocks(std::mt19937& random, int64_t sizes) {
  std::vector<HeapBlock> blocks;
  for (int i = 0; i < 60; ++i) {
    HeapBlock made{static_cast<int64_t>(random() % static_cast<uint32_t>(sizes)), {}};
    int64_t time = static_cast<int64_t>(random() % 200);
    for (uint32_t n = random() % 3 + 1; n > 0; --n) {
      const auto length = static_cast<int64_t>(random() % 20);
      made.times.push_back({time, time + length});
      time += length + 1 + static_cast<int64_t>(random() % 5);
    }
    blocks.push_back(made);
  }
  return blocks;
}

bool liveAtOnce(const HeapBlock& a, const HeapBlock& b) {
  return std::ranges::any_of(a.times, [&](const HeapInterval& x) {
    return std::ranges::any_of(b.times,
                               [&](const HeapInterval& y) { return x.start <= y.end && y.start <= x.end; });
  });
}

// The smallest hole beside all that were placed before, found by looking at each of them: largest first.
std::vector<int64_t> placedOneByOne(const std::vector<HeapBlock>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](size_t i) {
    return std::pair(blocks[i].sizeBytes, blocks[i].times[0].end - blocks[i].times[0].start);
  });
  std::vector<int64_t> offsets(blocks.size(), 0);
  for (size_t n = 0; n < order.size() && blocks[order[n]].sizeBytes > 0; ++n) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t m = 0; m < n; ++m) {
      if (liveAtOnce(blocks[order[m]], blocks[order[n]]))
        taken.emplace_back(offsets[order[m]], offsets[order[m]] + blocks[order[m]].sizeBytes);
    }
    std::ranges::sort(taken);
    int64_t free = 0, best = -1, least = std::numeric_limits<int64_t>::max();
    for (const auto& [from, to] : taken) {
      if (from - free >= blocks[order[n]].sizeBytes && from - free < least) {
        best = free;
        least = from - free;
      }
      free = std::max(free, to);
    }
    offsets[order[n]] = best < 0 ? free : best;
  }
  return offsets;
}

TEST(BestFitHeap, TakesTheHoleThatLookingAtAllOthersFinds) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::vector<HeapBlock> blocks = randomBlocks(random, round % 2 == 0 ? 100 : 4);
    EXPECT_EQ(layOutHeap(blocks, 1, HeapOrder::BySize).offsets, placedOneByOne(blocks)) << round;
  }
}

TEST(BestFitHeap, NeverPutsTwoLiveBlocksOnOneByte) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::vector<HeapBlock> blocks = randomBlocks(random, 100);
    for (const HeapOrder order : kHeapOrders) {
      const HeapLayout layout = layOutHeap(blocks, 8, order);
      EXPECT_GE(layout.heapBytes, maxLiveBytes(blocks));
      for (size_t i = 0; i < blocks.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          const bool apart = layout.offsets[i] + blocks[i].sizeBytes <= layout.offsets[j] ||
                             layout.offsets[j] + blocks[j].sizeBytes <= layout.offsets[i];
          ASSERT_TRUE(apart || !liveAtOnce(blocks[i], blocks[j]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo
