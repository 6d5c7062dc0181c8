// Private to the room: barriers of a block, by number, and of a cluster.
#pragma once

#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {

// bar and barrier: `count` threads meet, 0: all of the block. The result of bar.red.
uint32_t meetBarrier(Lane& lane, uint32_t number, uint32_t count, BarrierMode mode, uint32_t predicate,
                     uint32_t line);
void arriveCluster(Lane& lane);
void waitCluster(Lane& lane, uint32_t line);
// Of a lane that ends.
void leaveBarriers(Lane& lane);

}  // namespace hilo
