#include "core/compiler/buffers/best_fit_heap.h"

#include <gtest/gtest.h>

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

TEST(BestFitHeap, NeverPutsTwoLiveBlocksOnOneByte) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<HeapBlock> blocks;
    for (int i = 0; i < 60; ++i) {
      HeapBlock made{static_cast<int64_t>(random() % 100), {}};
      int64_t time = static_cast<int64_t>(random() % 200);
      for (uint32_t n = random() % 3 + 1; n > 0; --n) {
        const auto length = static_cast<int64_t>(random() % 20);
        made.times.push_back({time, time + length});
        time += length + 1 + static_cast<int64_t>(random() % 5);
      }
      blocks.push_back(made);
    }
    for (const HeapOrder order : kHeapOrders) {
      const HeapLayout layout = layOutHeap(blocks, 8, order);
      EXPECT_GE(layout.heapBytes, maxLiveBytes(blocks));
      for (size_t i = 0; i < blocks.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          const bool apart = layout.offsets[i] + blocks[i].sizeBytes <= layout.offsets[j] ||
                             layout.offsets[j] + blocks[j].sizeBytes <= layout.offsets[i];
          for (const HeapInterval& a : blocks[i].times) {
            for (const HeapInterval& b : blocks[j].times)
              ASSERT_TRUE(apart || a.end < b.start || b.end < a.start);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo
