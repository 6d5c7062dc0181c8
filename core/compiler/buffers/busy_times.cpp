#include "core/compiler/buffers/busy_times.h"

#include "core/base/check.h"

namespace hilo {

BusyTimes::BusyTimes(int64_t endTime, size_t mostPlaces)
    : endTime_(endTime),
      words_((mostPlaces + kWordBits - 1) / kWordBits),
      bits_((bucketOf(endTime) + 1) * words_) {}

void BusyTimes::take(uint32_t place, const LiveRange& time) {
  CHECK(place < places_ && place / kWordBits < words_);
  const size_t first = bucketOf(time.start), last = bucketOf(time.end);
  const uint64_t bit = uint64_t{1} << place % kWordBits;
  for (size_t bucket = first; bucket <= last; ++bucket) {
    Bits& bits = bits_[bucket * words_ + place / kWordBits];
    bits.any |= bit;
    if (bucket > first && bucket < last) bits.all |= bit;
  }
}

uint64_t BusyTimes::mayBeFree(size_t word, std::span<const LiveRange> times) const {
  const size_t left = places_ - word * kWordBits;
  uint64_t free = left < kWordBits ? (uint64_t{1} << left) - 1 : ~uint64_t{0};
  for (const LiveRange& time : times) {
    const size_t first = bucketOf(time.start), last = bucketOf(time.end);
    free &= ~(bits_[first * words_ + word].all | bits_[last * words_ + word].all);
    for (size_t bucket = first + 1; bucket < last && free != 0; ++bucket)
      free &= ~bits_[bucket * words_ + word].any;
    if (free == 0) break;
  }
  return free;
}

}  // namespace hilo
