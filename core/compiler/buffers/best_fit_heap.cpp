#include "core/compiler/buffers/best_fit_heap.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "core/analysis/saturating.h"
#include "core/base/check.h"

namespace hilo {
namespace {

// All intervals, sorted by start, with the greatest end of those placed so far over each run: finds the
// placed ones that overlap a time without looking at the others.
class PlacedIntervals {
 public:
  explicit PlacedIntervals(std::span<const HeapBlock> blocks) {
    for (uint32_t block = 0; block < blocks.size(); ++block) {
      for (const HeapInterval& time : blocks[block].times) entries_.push_back({time.start, time.end, block});
    }
    std::ranges::sort(entries_, {}, &Entry::start);
    leaves_ = std::bit_ceil(std::max<size_t>(entries_.size(), 1));
    latest_.assign(2 * leaves_, kNone);
    first_.resize(blocks.size() + 1);
    for (const Entry& entry : entries_) ++first_[entry.block + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    positions_.resize(entries_.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t i = 0; i < entries_.size(); ++i) positions_[next[entries_[i].block]++] = i;
  }

  void place(uint32_t block) {
    for (uint32_t i = first_[block]; i < first_[block + 1]; ++i) {
      size_t node = leaves_ + positions_[i];
      latest_[node] = entries_[positions_[i]].end;
      while (node /= 2) latest_[node] = std::max(latest_[2 * node], latest_[2 * node + 1]);
    }
  }

  template <typename Visit>
  void overlapping(const HeapInterval& time, Visit visit) const {
    const auto last = std::ranges::upper_bound(entries_, time.end, {}, &Entry::start);
    visitRange(1, 0, leaves_, static_cast<size_t>(last - entries_.begin()), time.start, visit);
  }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  struct Entry {
    int64_t start, end;
    uint32_t block;
  };

  template <typename Visit>
  void visitRange(size_t node, size_t from, size_t to, size_t limit, int64_t start, Visit visit) const {
    if (from >= limit || latest_[node] < start || latest_[node] == kNone) return;
    if (to - from == 1) {
      visit(entries_[from].block);
      return;
    }
    const size_t middle = (from + to) / 2;
    visitRange(2 * node, from, middle, limit, start, visit);
    visitRange(2 * node + 1, middle, to, limit, start, visit);
  }

  std::vector<Entry> entries_;
  std::vector<int64_t> latest_;      // a complete binary tree over entries_
  std::vector<uint32_t> positions_;  // of each block's intervals in entries_
  std::vector<uint32_t> first_;      // into positions_, by block
  size_t leaves_ = 1;
};

int64_t aligned(int64_t offset, int64_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

struct Taken {
  int64_t offset, end;
};

// The smallest hole between the taken places that fits; behind all of them when none does.
int64_t bestHole(std::vector<Taken>& taken, int64_t size, int64_t alignment) {
  std::ranges::sort(taken, {}, &Taken::offset);
  int64_t free = 0, best = -1, bestSize = std::numeric_limits<int64_t>::max();
  for (const Taken& place : taken) {
    const int64_t hole = place.offset - free;
    if (hole >= size && hole < bestSize) {
      best = free;
      bestSize = hole;
    }
    free = std::max(free, aligned(place.end, alignment));
  }
  return best >= 0 ? best : free;
}

int64_t lifetime(const HeapBlock& block) {
  if (block.times.empty()) return 0;
  int64_t end = block.times[0].end;
  for (const HeapInterval& time : block.times) end = std::max(end, time.end);
  return end - block.times[0].start;
}

std::vector<uint32_t> sortedBlocks(std::span<const HeapBlock> blocks, HeapOrder order) {
  std::vector<uint32_t> sorted(blocks.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  const auto key = [&](uint32_t i) {
    const HeapBlock& block = blocks[i];
    if (order == HeapOrder::ByLifetime) return std::tuple(-lifetime(block), -block.sizeBytes, i);
    if (order == HeapOrder::ByStart)
      return std::tuple(block.times.empty() ? 0 : block.times[0].start, -block.sizeBytes, i);
    const int64_t first = block.times.empty() ? 0 : block.times[0].end - block.times[0].start;
    return std::tuple(-block.sizeBytes, -first, i);
  };
  std::ranges::sort(sorted, {}, key);
  return sorted;
}

}  // namespace

HeapLayout layOutHeap(std::span<const HeapBlock> blocks, int64_t alignment, HeapOrder order) {
  LimitedHeaps heaps = layOutHeaps(blocks, alignment, order, std::numeric_limits<int64_t>::max());
  return {.heapBytes = heaps.heapBytes[0], .offsets = std::move(heaps.offsets), .order = order};
}

LimitedHeaps layOutHeaps(std::span<const HeapBlock> blocks, int64_t alignment, HeapOrder order,
                         int64_t limitBytes) {
  CHECK(std::has_single_bit(static_cast<uint64_t>(alignment)));
  LimitedHeaps heaps{.heapBytes = {},
                     .heapOf = std::vector<uint32_t>(blocks.size()),
                     .offsets = std::vector<int64_t>(blocks.size())};
  std::vector<uint32_t> left = sortedBlocks(blocks, order);
  std::erase_if(left, [&](uint32_t i) { return blocks[i].sizeBytes == 0; });
  do {
    const auto heap = static_cast<uint32_t>(heaps.heapBytes.size());
    int64_t& heapBytes = heaps.heapBytes.emplace_back(0);
    PlacedIntervals placed(blocks);
    std::vector<Taken> taken;
    std::vector<uint32_t> seen(blocks.size(), 0xffffffff), later;
    for (const uint32_t i : left) {
      taken.clear();
      for (const HeapInterval& time : blocks[i].times) {
        placed.overlapping(time, [&](uint32_t other) {
          if (std::exchange(seen[other], i) == i) return;
          taken.push_back({heaps.offsets[other], heaps.offsets[other] + blocks[other].sizeBytes});
        });
      }
      const int64_t offset = bestHole(taken, blocks[i].sizeBytes, alignment);
      if (offset + blocks[i].sizeBytes > limitBytes && heapBytes > 0) {
        later.push_back(i);
        continue;
      }
      heaps.heapOf[i] = heap;
      heaps.offsets[i] = offset;
      heapBytes = std::max(heapBytes, offset + blocks[i].sizeBytes);
      placed.place(i);
    }
    left = std::move(later);
  } while (!left.empty());
  return heaps;
}

HeapLayout layOutHeap(std::span<const HeapBlock> blocks, int64_t alignment) {
  std::optional<HeapLayout> best;
  const int64_t bound = maxLiveBytes(blocks);
  for (const HeapOrder order : kHeapOrders) {
    HeapLayout layout = layOutHeap(blocks, alignment, order);
    if (!best || layout.heapBytes < best->heapBytes) best = std::move(layout);
    if (best->heapBytes <= bound) break;
  }
  return *std::move(best);
}

int64_t maxLiveBytes(std::span<const HeapBlock> blocks) {
  // Times of one block may touch: it is taken once from the first to the last of such a run.
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const HeapBlock& block : blocks) {
    std::vector<HeapInterval> times = block.times;
    std::ranges::sort(times, {}, &HeapInterval::start);
    for (size_t i = 0; i < times.size();) {
      int64_t end = times[i].end;
      size_t next = i + 1;
      while (next < times.size() && times[next].start <= end) end = std::max(end, times[next++].end);
      changes.emplace_back(times[i].start, block.sizeBytes);
      changes.emplace_back(end + 1, -block.sizeBytes);
      i = next;
    }
  }
  std::ranges::sort(changes);
  int64_t live = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, live += change);
  return most;
}

}  // namespace hilo
