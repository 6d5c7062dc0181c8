// Private to the room: barriers of a block, by number, and of a cluster.
#pragma once

#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {

// Lanes of `group` came to a point of kind Barrier. Each has laid down the barrier's number, how many threads
// meet there (0: all of the block) and a predicate; the result of bar.red takes their place.
void meetBarrier(Warp& warp, uint32_t group, uint32_t point);
void arriveCluster(Lane& lane);
// Whether all have arrived that the lane waits for.
bool isClusterMet(const Lane& lane);
// Of lanes that ended.
void leaveBarriers(SimBlock& block, const Lane& ended);

}  // namespace hilo
