// Places blocks that live for known times into one heap: largest, longest lived or earliest first, each into
// the smallest hole that fits. XLA's GlobalDecreasingSizeBestFitHeap (service/heap_simulator).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo {

// Both ends belong to it.
struct HeapInterval {
  int64_t start = 0;
  int64_t end = 0;
};

// One place for everything in it: `times` are when it is taken, in order of their start.
struct HeapBlock {
  int64_t sizeBytes = 0;
  std::vector<HeapInterval> times;
};

enum class HeapOrder : uint8_t {
  BySize,      // largest first, then longest lived
  ByLifetime,  // longest lived first, from first start to last end
  ByStart,     // first come, larger first
};
inline constexpr HeapOrder kHeapOrders[] = {HeapOrder::BySize, HeapOrder::ByLifetime, HeapOrder::ByStart};

struct HeapLayout {
  int64_t heapBytes = 0;
  std::vector<int64_t> offsets;  // by block
  HeapOrder order = HeapOrder::BySize;
};

// `alignment` is a power of two. Blocks of no size lie at 0. Ties keep the order given.
HeapLayout layOutHeap(std::span<const HeapBlock> blocks, int64_t alignment, HeapOrder order);
// The smallest of all orders, the first of those when several are equal. XLA tries the first two.
HeapLayout layOutHeap(std::span<const HeapBlock> blocks, int64_t alignment);

// Heaps of at most `limitBytes` each (one that holds a single larger block is as large as that): what does
// not fit into the first goes into a second, and so on. XLA's ConstrainedGlobalDecreasingSizeBestFitHeap.
struct LimitedHeaps {
  std::vector<int64_t> heapBytes;
  std::vector<uint32_t> heapOf;  // by block
  std::vector<int64_t> offsets;  // by block, within its heap
};
LimitedHeaps layOutHeaps(std::span<const HeapBlock> blocks, int64_t alignment, HeapOrder order,
                         int64_t limitBytes);

// What no layout can be smaller than: the most that is taken at one time, each block rounded up to nothing.
int64_t maxLiveBytes(std::span<const HeapBlock> blocks);

}  // namespace hilo
