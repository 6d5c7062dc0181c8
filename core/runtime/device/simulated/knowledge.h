// Private to the room: what a thread knows to be before what it does next: of other threads, all up to a
// time. Vector clocks, with one entry for a block where all its threads are known.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>

namespace hilo {

// A thread of a grid as a number: its block, and its place in it. Several of a warp, or of the block, have
// places of their own.
constexpr uint32_t kPlaceBits = 11, kPlaceMask = (1u << kPlaceBits) - 1;
constexpr uint32_t kSeveralOfWarp = 1024;         // and the number of the warp
constexpr uint32_t kSeveralOfBlock = kPlaceMask;  // all, in Knowledge
constexpr uint32_t kSeveralBlocks = ~uint32_t{0};
constexpr uint32_t threadNumber(uint64_t block, uint32_t place) {
  return static_cast<uint32_t>(block << kPlaceBits) | place;
}

class Knowledge {
 public:
  void learn(uint32_t thread, uint32_t until) {
    uint32_t& known = until_[thread];
    known = std::max(known, until);
  }
  void join(const Knowledge& other) {
    for (const auto& [thread, until] : other.until_) learn(thread, until);
  }
  // Whether what the thread did at `time` is known.
  bool knows(uint32_t thread, uint32_t time) const {
    return until(thread | kSeveralOfBlock) > time || until(thread) > time;
  }

 private:
  uint32_t until(uint32_t thread) const {
    const auto found = until_.find(thread);
    return found == until_.end() ? 0 : found->second;
  }
  absl::flat_hash_map<uint32_t, uint32_t> until_;
};
using SharedKnowledge = std::shared_ptr<const Knowledge>;

// Of a thread, beside what barriers of its whole block and warp say. Null: nothing.
struct ThreadOrder {
  SharedKnowledge known;
  // By reading what others published: known after the next fence or barrier; of those of the block, after one
  // of the block's scope.
  SharedKnowledge seen, seenOfBlock;
  SharedKnowledge fenced, fencedForBlock;  // at its last fence
  uint32_t met = 0;                        // when it last met some of its block
};

// What is published at an address by those who wrote there after a fence.
struct Published {
  SharedKnowledge all;
  absl::flat_hash_map<uint32_t, SharedKnowledge> ofBlock;
};

}  // namespace hilo
