// When places are taken, of many places at once: which of them may be free during some times is found without
// asking each. A place is asked by whoever searches; here are left out those that are surely taken.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/dataflow/value_live_ranges.h"

namespace hilo {

// Times are cut into buckets. Of each bucket there is a bit a place: taken in all of it and on both sides,
// and taken in any of it. A time that begins and ends in buckets of the first kind, or has one of the second
// inside, overlaps more than the ends of another one.
class BusyTimes {
 public:
  // Times lie from 0 to `endTime`; later ones count as that.
  BusyTimes(int64_t endTime, size_t mostPlaces);

  // A new place, of the next number.
  uint32_t addPlace() { return places_++; }
  void take(uint32_t place, const LiveRange& time);

  // Calls `tryPlace(place)` with those that may be free then, the newest first, until it returns true.
  template <typename TryPlace>
  bool tryFree(std::span<const LiveRange> times, const TryPlace& tryPlace) const {
    for (size_t word = (places_ + kWordBits - 1) / kWordBits; word-- > 0;) {
      uint64_t free = mayBeFree(word, times);
      while (free != 0) {
        const auto bit = static_cast<uint32_t>(std::bit_width(free) - 1);
        if (tryPlace(static_cast<uint32_t>(word * kWordBits) + bit)) return true;
        free ^= uint64_t{1} << bit;
      }
    }
    return false;
  }

 private:
  static constexpr size_t kWordBits = 64;
  static constexpr int64_t kBucketSteps = 256;

  struct Bits {
    uint64_t all = 0, any = 0;
  };
  size_t bucketOf(int64_t time) const { return static_cast<size_t>(std::min(time, endTime_) / kBucketSteps); }
  // Of the 64 places of a word.
  uint64_t mayBeFree(size_t word, std::span<const LiveRange> times) const;

  const int64_t endTime_;
  const size_t words_;
  uint32_t places_ = 0;
  std::vector<Bits> bits_;  // by bucket and word
};

}  // namespace hilo
