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

  // The placed ones that start after `after` and overlap `time`.
  template <typename Visit>
  void overlapping(const HeapInterval& time, int64_t after, const Visit& visit) const {
    const auto first = std::ranges::upper_bound(entries_, after, {}, &Entry::start);
    const auto last = std::ranges::upper_bound(first, entries_.end(), time.end, {}, &Entry::start);
    visitRange(1, 0, leaves_,
               {static_cast<size_t>(first - entries_.begin()), static_cast<size_t>(last - entries_.begin())},
               time.start, visit);
  }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  struct Entry {
    int64_t start, end;
    uint32_t block;
  };
  struct Range {
    size_t first, last;
  };

  template <typename Visit>
  void visitRange(size_t node, size_t from, size_t to, Range range, int64_t start, const Visit& visit) const {
    if (from >= range.last || to <= range.first || latest_[node] < start || latest_[node] == kNone) return;
    if (to - from == 1) {
      visit(entries_[from].block, HeapInterval{entries_[from].start, entries_[from].end});
      return;
    }
    const size_t middle = (from + to) / 2;
    visitRange(2 * node, from, middle, range, start, visit);
    visitRange(2 * node + 1, middle, to, range, start, visit);
  }

  std::vector<Entry> entries_;
  std::vector<int64_t> latest_;      // a complete binary tree over entries_
  std::vector<uint32_t> positions_;  // of each block's intervals in entries_
  std::vector<uint32_t> first_;      // into positions_, by block
  size_t leaves_ = 1;
};

int64_t aligned(int64_t offset, int64_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

// A placed block during one of its times.
struct Taken {
  int64_t offset, end;
  HeapInterval time;
};

bool overlap(const HeapInterval& a, const HeapInterval& b) { return a.start <= b.end && b.start <= a.end; }

// What is taken at a time, by offset. The blocks of an order mostly come as they start, many of one size and
// length after one another, and most of what is taken while one lives is taken while the next one does: it is
// kept from one to the other. Where a block starts before the last one, all is looked up anew.
class TakenWindow {
 public:
  TakenWindow(const PlacedIntervals& placed, std::span<const HeapBlock> blocks,
              std::span<const int64_t> offsets)
      : placed_(placed), blocks_(blocks), offsets_(offsets) {}

  void moveTo(std::span<const HeapInterval> times) {
    const HeapInterval all = span(times);
    if (all.start < window_.start) {
      taken_.clear();
      window_ = {all.start, std::numeric_limits<int64_t>::min()};
    }
    window_.start = all.start;
    if (all.end <= window_.end) return;
    const auto known = static_cast<ptrdiff_t>(taken_.size());
    placed_.overlapping(all, window_.end, [&](uint32_t block, const HeapInterval& time) {
      taken_.push_back(takenBy(block, time));
    });
    window_.end = all.end;
    std::sort(taken_.begin() + known, taken_.end(), byOffset);
    std::inplace_merge(taken_.begin(), taken_.begin() + known, taken_.end(), byOffset);
  }

  // The smallest hole that fits at the times of the last moveTo(); behind all that is taken when none does.
  int64_t bestHole(std::span<const HeapInterval> times, int64_t size, int64_t alignment) {
    const HeapInterval all = span(times);
    int64_t free = 0, best = -1, bestSize = std::numeric_limits<int64_t>::max();
    size_t seen = 0, others = 0;
    for (const Taken& place : taken_) {
      ++seen;
      if (!overlap(place.time, all) || (times.size() > 1 && !overlapsOne(place.time, times))) {
        ++others;
        continue;
      }
      const int64_t hole = place.offset - free;
      if (hole >= size && hole < bestSize) {
        best = free;
        bestSize = hole;
        if (hole == size) break;
      }
      free = std::max(free, aligned(place.end, alignment));
    }
    if (others > seen / 2 + kFewOthers) shrinkTo(all);
    return best >= 0 ? best : free;
  }

  // The block has its offset now.
  void place(uint32_t block) {
    for (const HeapInterval& time : blocks_[block].times) {
      if (!overlap(time, window_)) continue;
      const Taken taken = takenBy(block, time);
      taken_.insert(std::upper_bound(taken_.begin(), taken_.end(), taken, byOffset), taken);
    }
  }

 private:
  static constexpr size_t kFewOthers = 64;

  static bool byOffset(const Taken& a, const Taken& b) { return a.offset < b.offset; }
  static HeapInterval span(std::span<const HeapInterval> times) {
    HeapInterval all = times.front();
    for (const HeapInterval& time : times)
      all = {std::min(all.start, time.start), std::max(all.end, time.end)};
    return all;
  }
  static bool overlapsOne(const HeapInterval& time, std::span<const HeapInterval> times) {
    return std::ranges::any_of(times, [&](const HeapInterval& each) { return overlap(time, each); });
  }
  Taken takenBy(uint32_t block, const HeapInterval& time) const {
    return {offsets_[block], offsets_[block] + blocks_[block].sizeBytes, time};
  }
  void shrinkTo(const HeapInterval& time) {
    std::erase_if(taken_, [&](const Taken& place) { return !overlap(place.time, time); });
    window_ = time;
  }

  const PlacedIntervals& placed_;
  const std::span<const HeapBlock> blocks_;
  const std::span<const int64_t> offsets_;
  // All that is placed and overlaps the window; also what ended before it.
  std::vector<Taken> taken_;
  HeapInterval window_{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
};

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
    TakenWindow taken(placed, blocks, heaps.offsets);
    std::vector<uint32_t> later;
    for (const uint32_t i : left) {
      int64_t offset = 0;
      if (!blocks[i].times.empty()) {
        taken.moveTo(blocks[i].times);
        offset = taken.bestHole(blocks[i].times, blocks[i].sizeBytes, alignment);
      }
      if (offset + blocks[i].sizeBytes > limitBytes && heapBytes > 0) {
        later.push_back(i);
        continue;
      }
      heaps.heapOf[i] = heap;
      heaps.offsets[i] = offset;
      heapBytes = std::max(heapBytes, offset + blocks[i].sizeBytes);
      placed.place(i);
      taken.place(i);
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
