// How warps go on: together while all lanes are at one point, apart otherwise; and who may when nobody can.
#include <fmt/format.h>

#include <bit>

#include "core/runtime/device/host/kernel_function.h"
#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/barriers.h"
#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {
namespace {

constexpr size_t kMostLanes = 1 << 15;  // of blocks at the same time

}  // namespace

// False: nothing in it could go on.
bool Grid::runBlock(SimBlock& block) {
  bool went = false;
  for (Warp& warp : block.warps) {
    if (warp.ready == 0) continue;
    went = true;
    if (launch_.cancel.cancelled()) failure_ = fail("cancelled", "the launch was ended").error();
    if (!failure_) runWarp(warp);
    if (failure_) return false;
  }
  return went;
}

void Grid::go(Warp& warp, uint32_t group, uint32_t point) {
  warp.ready &= ~group;
  const bool canTogether = (isRow_ || !kernel_.isRow) && !code_.isChecked && !code_.isCounted;
  group == ~0u && canTogether ? runTogether(warp, point) : runApart(warp, group, point);
}

// Those at the first point of the program go first, so that the others can be caught up with.
void Grid::runWarp(Warp& warp) {
  while (warp.ready != 0 && !failure_) {
    if (warp.isTogether) {
      go(warp, warp.ready, warp.point);
      continue;
    }
    uint32_t point = ~0u, group = 0;
    for (uint32_t rest = warp.ready; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (warp.at[lane] > point) continue;
      if (warp.at[lane] < point) group = 0;
      point = warp.at[lane];
      group |= 1u << lane;
    }
    go(warp, group, point);
  }
}

HILO_CALLS_COMPILED_CODE void Grid::runTogether(Warp& warp, uint32_t point) {
  const uint32_t next = function_(&warp.lane(0), params_.data(), point, 0, kSimLanes, 1);
  if (next == kSimApart) return arriveApart(warp, ~0u);
  warp.isTogether = true;
  warp.point = next;
  arrive(warp, ~0u, next);
}

HILO_CALLS_COMPILED_CODE void Grid::runApart(Warp& warp, uint32_t group, uint32_t point) {
  for (uint32_t rest = group; rest != 0;) {
    const auto from = static_cast<uint32_t>(std::countr_zero(rest));
    const auto count = static_cast<uint32_t>(std::countr_one(rest >> from));
    function_(&warp.lane(0), params_.data(), point, from, count, 0);
    rest &= count == kSimLanes ? 0 : ~(((1u << count) - 1) << from);
  }
  arriveApart(warp, group);
}

// Each lane is where the context says, those at one place come to it together.
void Grid::arriveApart(Warp& warp, uint32_t group) {
  const auto* next = reinterpret_cast<const uint32_t*>(warp.context() + kContextNext);
  if (warp.isTogether) std::ranges::fill(warp.at, warp.point);
  warp.isTogether = false;
  for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    warp.at[lane] = next[lane];
  }
  while (group != 0 && !failure_) {
    const uint32_t point = warp.at[std::countr_zero(group)];
    uint32_t same = 0;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (warp.at[lane] == point) same |= 1u << lane;
    }
    if (group == warp.alive && same == group) {
      warp.isTogether = true;
      warp.point = point;
    }
    group &= ~same;
    arrive(warp, same, point);
  }
}

void Grid::arrive(Warp& warp, uint32_t group, uint32_t point) {
  switch (kernel_.points[point].kind) {
    case SimPointKind::Begin:
      return end(warp, group);
    case SimPointKind::Warp:
      return meetWarp(warp, group, point);
    case SimPointKind::Barrier:
      return meetBarrier(warp, group, point);
    case SimPointKind::ActiveMask:
      warp.asking |= group;
      return;
    case SimPointKind::ClusterWait:
    case SimPointKind::Yield:
      warp.yielding |= group;
      return;
  }
}

void Grid::end(Warp& warp, uint32_t group) {
  happened();
  warp.alive &= ~group;
  warp.block->alive -= static_cast<uint32_t>(std::popcount(group));
  if (!warp.allRendezvous.empty()) leaveWarp(warp);
  leaveBarriers(*warp.block, warp.lane(static_cast<uint32_t>(std::countr_zero(group))));
}

bool Grid::hasReady() const {
  return std::ranges::any_of(active_, [](const auto& block) {
    return std::ranges::any_of(block->warps, [](const Warp& warp) { return warp.ready != 0; });
  });
}

// Lets those of the warp go on that wait in loops, but for those who wait for a cluster that has not met. How
// many there are; `spinning` is one of them.
uint32_t Grid::wakeYielding(Warp& warp, const Lane*& spinning) {
  uint32_t count = 0;
  for (uint32_t rest = warp.yielding; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(rest));
    Lane& lane = warp.lane(i);
    spinning = &lane;
    ++count;
    if (kernel_.points[warp.pointOf(i)].kind == SimPointKind::ClusterWait) {
      if (!isClusterMet(lane)) continue;
      happened();
      if (check_) check_->orders().acquire(lane, lane.block->cluster.front());
    }
    lane.fuel = kFuel;
    lane.turns += kFuel;
    warp.yielding &= ~(1u << i);
    warp.ready |= 1u << i;
  }
  return count;
}

// Nothing is ready. What can be done, in this order: let lanes that asked who is active go on together; begin
// further blocks; give those that wait in loops another turn.
Status Grid::goOnStuck() {
  for (const auto& block : active_) {
    if (releaseActiveMasks(*block)) return {};
  }
  if (hasReady()) return {};
  const bool hasRoom = (active_.size() + 1) * threads_ <= kMostLanes;
  if (nextBlock_ < blocks_ && hasRoom) TRY_STATUS(admit());
  const Lane* spinning = nullptr;
  uint64_t count = 0;
  for (const auto& block : active_) {
    for (Warp& warp : block->warps) count += wakeYielding(warp, spinning);
  }
  waiting_ += count * kFuel;
  if (spinning == nullptr) return hasReady() ? Status() : deadlock();
  if (waiting_ <= launch_.mostWaiting) return {};
  const uint32_t line = kernel_.points[spinning->warp->pointOf(spinning->laneid)].line;
  return std::unexpected(
      about(*spinning, line, "endless-wait",
            fmt::format("{} threads go round in loops and nothing else happens; one of them", count)));
}

Status Grid::deadlock() {
  for (const auto& block : active_) {
    for (const Warp& warp : block->warps) {
      if (warp.alive == 0) continue;
      const auto i = static_cast<uint32_t>(std::countr_zero(warp.alive));
      const SimulatedPoint& point = kernel_.points[warp.pointOf(i)];
      return std::unexpected(about(
          warp.lane(i), point.line, "deadlock",
          fmt::format(
              "nobody can go on: {} of {} threads of the block ended, others wait for ever; at {}",
              threads_ - block->alive, threads_,
              point.kind == SimPointKind::Warp ? "an operation of its warp" : "a barrier of its block")));
    }
  }
  return {};
}

}  // namespace hilo
