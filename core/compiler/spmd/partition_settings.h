// What may be chosen of the partitioner.
#pragma once

#include <cstdint>

namespace hilo {

struct PartitionSettings {
  // Windowed dots (windowed_dot.h): of the gathered operand, or of the result. XLA's default for GPU.
  int64_t windowedLeastMib = 100'000;
  // Where it is not negative: of both operands together, whole, whatever the limit above.
  int64_t windowedLeastBytes = -1;
  int64_t windowedMostTrips = 32;
  // Each operation goes the way that moves fewest bytes, not the first in XLA's order.
  bool fewestBytes = false;
};

}  // namespace hilo
