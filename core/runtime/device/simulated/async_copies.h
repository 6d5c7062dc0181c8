// Private to the room: cp.async of a thread, and mbarrier objects, 8 bytes of shared memory each.
#pragma once

#include "core/runtime/device/simulated/grid.h"

namespace hilo {

// Noted, and done when it is waited for: whoever reads before sees that nothing came.
void copyLater(CopyQueue& queue, const AsyncCopy& copy);
void commitCopies(CopyQueue& queue);
// Until at most `left` committed groups are not done; all copies, committed or not, with kAllCopies.
constexpr uint32_t kAllCopies = ~uint32_t{0};
void waitCopies(Lane& lane, CopyQueue& queue, uint32_t left);
// Those that end at the barrier; null: all.
void finishBulkCopies(Grid& grid, const uint64_t* barrier);

// Phases count arrivals down to none, and bytes of transactions to none; then the next begins.
void initMbarrier(uint64_t* barrier, uint32_t count);
// The state before it, for testMbarrier.
uint64_t arriveMbarrier(Lane& lane, uint64_t* barrier, uint32_t count, bool drops);
void addTransactions(Lane& lane, uint64_t* barrier, int64_t bytes);
bool isPhaseOver(const uint64_t* barrier, uint64_t state);
bool isParityOver(const uint64_t* barrier, uint32_t parity);
uint32_t pendingOf(uint64_t state);

}  // namespace hilo
