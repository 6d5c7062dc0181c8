#include "core/runtime/device/simulated/barriers.h"

#include <fmt/format.h>

#include "core/runtime/device/simulated/access_check.h"

namespace hilo {
namespace {

void complete(SimBlock& block, BlockBarrier& barrier, const Lane* last) {
  Grid& grid = *block.grid;
  grid.happened();
  if (grid.check() != nullptr) block.synced = grid.nextTime();
  const uint64_t result = barrier.operation == static_cast<uint32_t>(BarrierMode::Count) ? barrier.count
                          : barrier.operation == static_cast<uint32_t>(BarrierMode::And) ? barrier.all
                                                                                         : barrier.any;
  const bool hasResult = barrier.operation >= static_cast<uint32_t>(BarrierMode::And);
  for (Lane* lane : barrier.waiting) {
    if (hasResult) *lane->record = result;
    if (lane != last) grid.wake(*lane);
  }
  std::vector<Lane*> room = std::move(barrier.waiting);
  room.clear();
  barrier = {};
  barrier.waiting = std::move(room);
}

bool isComplete(const SimBlock& block, const BlockBarrier& barrier) {
  return barrier.arrived != 0 && barrier.arrived >= (barrier.expected == 0 ? block.alive : barrier.expected);
}

}  // namespace

uint32_t meetBarrier(Lane& lane, uint32_t number, uint32_t count, BarrierMode mode, uint32_t predicate,
                     uint32_t line) {
  SimBlock& block = *lane.block;
  Grid& grid = *lane.grid;
  if (number >= SimBlock::kBarriers)
    grid.stop(lane, line, "wrong-barrier", fmt::format("there is no barrier {}", number));
  BlockBarrier& barrier = block.barriers[number];
  if (grid.check() != nullptr && barrier.arrived != 0 && barrier.line != line && count == 0)
    grid.check()->divergentBarrier(lane, line, barrier.line);
  ++barrier.arrived;
  barrier.expected = count;
  barrier.line = line;
  barrier.operation = static_cast<uint32_t>(mode);
  barrier.all &= predicate != 0;
  barrier.any |= predicate != 0;
  barrier.count += predicate != 0;
  const bool waits = mode != BarrierMode::Arrive;
  uint64_t result = 0;
  lane.record = &result;
  if (waits) barrier.waiting.push_back(&lane);
  if (isComplete(block, barrier)) {
    complete(block, barrier, waits ? &lane : nullptr);
  } else if (waits) {
    grid.wait(lane, LaneState::AtBarrier, line);
  }
  return static_cast<uint32_t>(result);
}

// A thread that ended counts as arrived, as on a device; in check mode it is told.
void leaveBarriers(Lane& lane) {
  SimBlock& block = *lane.block;
  const uint32_t remaining = block.alive - 1;
  for (BlockBarrier& barrier : block.barriers) {
    if (barrier.arrived == 0 || barrier.expected != 0) continue;
    if (lane.grid->check() != nullptr && !barrier.waiting.empty())
      lane.grid->check()->endedBefore(*barrier.waiting.front(), lane, barrier.line);
    if (barrier.arrived >= remaining) complete(block, barrier, nullptr);
  }
}

void arriveCluster(Lane& lane) {
  if (lane.grid->check() != nullptr) lane.grid->check()->fence(lane);
  ++lane.clusterArrivals;
  ++lane.block->cluster.front()->clusterArrived;
}

void waitCluster(Lane& lane, uint32_t line) {
  SimBlock& first = *lane.block->cluster.front();
  const auto all = static_cast<uint32_t>(lane.block->cluster.size() * lane.block->lanes.size());
  while (first.clusterArrived < lane.clusterArrivals * all) lane.grid->yield(lane, line);
  lane.grid->happened();
  if (lane.grid->check() != nullptr) lane.grid->check()->fence(lane);
}

}  // namespace hilo
