#include "core/runtime/device/simulated/barriers.h"

#include <fmt/format.h>

#include <bit>

#include "core/runtime/device/simulated/access_check.h"

namespace hilo {
namespace {

void complete(SimBlock& block, BlockBarrier& barrier) {
  Grid& grid = *block.grid;
  grid.happened();
  if (AccessCheck* check = grid.check()) check->orders().barrierMet(block, barrier);
  const uint64_t result = barrier.mode == BarrierMode::Count ? barrier.count
                          : barrier.mode == BarrierMode::And ? barrier.all
                                                             : barrier.any;
  for (const auto& [warp, lanes] : barrier.waiting) {
    for (uint32_t rest = barrier.mode >= BarrierMode::And ? lanes : 0; rest != 0; rest &= rest - 1)
      warp->values()[std::countr_zero(rest)] = result;
    warp->ready |= lanes;
  }
  auto waiting = std::move(barrier.waiting), arrived = std::move(barrier.others);
  waiting.clear();
  arrived.clear();
  barrier = {};
  barrier.waiting = std::move(waiting);
  barrier.others = std::move(arrived);
}

bool isComplete(const SimBlock& block, const BlockBarrier& barrier) {
  return barrier.arrived != 0 && barrier.arrived >= (barrier.expected == 0 ? block.alive : barrier.expected);
}

struct Arrival {
  uint32_t number = 0, expected = 0, predicate = 0;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

void arrive(Warp& warp, uint32_t lanes, const Arrival& arrival, const SimulatedPoint& point) {
  SimBlock& block = *warp.block;
  Grid& grid = *block.grid;
  const auto mode = static_cast<BarrierMode>(point.detail);
  Lane& first = warp.lane(static_cast<uint32_t>(std::countr_zero(lanes)));
  if (arrival.number >= SimBlock::kBarriers)
    return grid.failAt(first, point.line, "wrong-barrier",
                       fmt::format("there is no barrier {}", arrival.number));
  BlockBarrier& barrier = block.barriers[arrival.number];
  if (grid.check() != nullptr && barrier.arrived != 0 && barrier.line != point.line && arrival.expected == 0)
    grid.check()->divergentBarrier(first, point.line, barrier.line);
  const auto count = static_cast<uint32_t>(std::popcount(lanes));
  barrier.arrived += count;
  barrier.expected = arrival.expected;
  barrier.line = point.line;
  barrier.mode = mode;
  barrier.all &= arrival.predicate;
  barrier.any |= arrival.predicate;
  barrier.count += arrival.predicate * count;
  const bool waits = mode != BarrierMode::Arrive;
  (waits ? barrier.waiting : barrier.others).emplace_back(&warp, lanes);
  if (!waits) warp.ready |= lanes;
  if (isComplete(block, barrier)) complete(block, barrier);
}

}  // namespace

void meetBarrier(Warp& warp, uint32_t group, uint32_t pointNumber) {
  const SimulatedPoint& point = warp.block->grid->kernel().points[pointNumber];
  if (point.isFull) return arrive(warp, group, {}, point);
  const auto arrivalOf = [&](uint32_t lane) -> Arrival {
    const uint64_t* values = warp.values() + lane;
    return {static_cast<uint32_t>(values[0]), static_cast<uint32_t>(values[kSimLanes]),
            values[2 * kSimLanes] != 0 ? 1u : 0u};
  };
  while (group != 0 && !warp.block->grid->hasFailed()) {
    const Arrival arrival = arrivalOf(static_cast<uint32_t>(std::countr_zero(group)));
    uint32_t same = 0;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (arrivalOf(lane) == arrival) same |= 1u << lane;
    }
    group &= ~same;
    arrive(warp, same, arrival, point);
  }
}

// A thread that ended counts as arrived, as on a device; in check mode it is told.
void leaveBarriers(SimBlock& block, const Lane& ended) {
  for (BlockBarrier& barrier : block.barriers) {
    if (barrier.arrived == 0 || barrier.expected != 0) continue;
    if (AccessCheck* check = block.grid->check(); check != nullptr && !barrier.waiting.empty()) {
      const auto& [warp, lanes] = barrier.waiting.front();
      check->endedBefore(warp->lane(static_cast<uint32_t>(std::countr_zero(lanes))), ended, barrier.line);
    }
    if (isComplete(block, barrier)) complete(block, barrier);
  }
}

void arriveCluster(Lane& lane) {
  if (AccessCheck* check = lane.grid->check()) check->orders().release(lane, lane.block->cluster.front());
  ++lane.clusterArrivals;
  ++lane.block->cluster.front()->clusterArrived;
}

bool isClusterMet(const Lane& lane) {
  const SimBlock& first = *lane.block->cluster.front();
  const auto all = static_cast<uint32_t>(lane.block->cluster.size() * lane.block->lanes.size());
  return first.clusterArrived >= lane.clusterArrivals * all;
}

}  // namespace hilo
