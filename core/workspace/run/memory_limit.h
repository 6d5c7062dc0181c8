// How much memory work of this process may take before the system would end it.
#pragma once

#include <cstdint>

namespace hilo {

// Bytes that may be taken now: three quarters of what the system, or the group of processes this one belongs
// to, still has free, and no more than `limitBytes`, 0 being no limit.
int64_t memoryWithin(int64_t limitBytes);
// All that is free, and no more than `limitBytes`.
int64_t memoryFree(int64_t limitBytes);

}  // namespace hilo
