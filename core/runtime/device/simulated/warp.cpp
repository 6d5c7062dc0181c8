#include "core/runtime/device/simulated/warp.h"

#include <bit>

#include "core/base/enum_table.h"
#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/warp_functions.h"

namespace hilo {
namespace {

constexpr EnumTable<WarpOp, void (*)(WarpCall&)> kFunctions({
#define WARP_OP(name, function) function,
#include "core/runtime/device/simulated/warp_ops.def"
});

bool isComplete(const Warp& warp, const WarpRendezvous& rendezvous) {
  return (rendezvous.mask & warp.alive & ~rendezvous.arrived) == 0;
}

// Works out the results and lets all but `last` go on.
void finish(Warp& warp, const WarpRendezvous& rendezvous, const Lane* last) {
  WarpCall call{.mask = rendezvous.arrived, .detail = rendezvous.detail, .warp = &warp};
  auto& lanes = warp.block->lanes;
  for (uint32_t rest = rendezvous.arrived; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(rest));
    call.records[i] = lanes[warp.first + i].record;
  }
  kFunctions[static_cast<WarpOp>(rendezvous.operation)](call);
  Grid& grid = *warp.block->grid;
  grid.happened();
  if (grid.check() != nullptr) warp.synced = grid.nextTime();
  for (uint32_t rest = rendezvous.arrived; rest != 0; rest &= rest - 1) {
    Lane& lane = lanes[warp.first + static_cast<uint32_t>(std::countr_zero(rest))];
    if (&lane != last) grid.wake(lane);
  }
}

}  // namespace

void meetWarp(Lane& lane, uint32_t operation, uint32_t detail, uint32_t mask, uint64_t* record,
              uint32_t line) {
  Warp& warp = *lane.warp;
  const uint32_t bit = 1u << lane.laneid;
  lane.record = record;
  mask |= bit;
  auto& allRendezvous = warp.allRendezvous;
  size_t at = 0;
  while (at < allRendezvous.size() &&
         (allRendezvous[at].operation != operation || allRendezvous[at].detail != detail ||
          allRendezvous[at].mask != mask || (allRendezvous[at].arrived & bit) != 0))
    ++at;
  if (at == allRendezvous.size()) allRendezvous.push_back({operation, detail, mask, 0, line});
  allRendezvous[at].arrived |= bit;
  if (!isComplete(warp, allRendezvous[at])) return lane.grid->wait(lane, LaneState::AtWarp, line);
  const WarpRendezvous rendezvous = allRendezvous[at];
  allRendezvous.erase(allRendezvous.begin() + static_cast<std::ptrdiff_t>(at));
  finish(warp, rendezvous, &lane);
}

uint32_t activeMask(Lane& lane, uint32_t line) {
  uint64_t record = 0;
  lane.record = &record;
  lane.grid->wait(lane, LaneState::AtActiveMask, line);
  return static_cast<uint32_t>(record);
}

void leaveWarp(Lane& lane) {
  Warp& warp = *lane.warp;
  warp.alive &= ~(1u << lane.laneid);
  for (size_t i = 0; i < warp.allRendezvous.size();) {
    const WarpRendezvous rendezvous = warp.allRendezvous[i];
    if (!isComplete(warp, rendezvous)) {
      ++i;
      continue;
    }
    warp.allRendezvous.erase(warp.allRendezvous.begin() + static_cast<std::ptrdiff_t>(i));
    finish(warp, rendezvous, nullptr);
  }
}

bool releaseActiveMasks(SimBlock& block) {
  bool released = false;
  for (Warp& warp : block.warps) {
    uint32_t together = 0, line = 0;
    for (uint32_t i = 0; i < 32 && warp.first + i < block.lanes.size(); ++i) {
      const Lane& lane = block.lanes[warp.first + i];
      if (lane.state != LaneState::AtActiveMask || (together != 0 && lane.line != line)) continue;
      line = lane.line;
      together |= 1u << i;
    }
    for (uint32_t rest = together; rest != 0; rest &= rest - 1) {
      Lane& lane = block.lanes[warp.first + static_cast<uint32_t>(std::countr_zero(rest))];
      *lane.record = together;
      block.grid->wake(lane);
    }
    released = released || together != 0;
  }
  return released;
}

}  // namespace hilo
