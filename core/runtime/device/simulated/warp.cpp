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

// Works out the results and lets all go on.
void finish(Warp& warp, const WarpRendezvous& rendezvous) {
  WarpCall call{warp.values(), rendezvous.arrived, rendezvous.detail, rendezvous.line, &warp};
  kFunctions[static_cast<WarpOp>(rendezvous.operation)](call);
  Grid& grid = *warp.block->grid;
  grid.happened();
  if (AccessCheck* check = grid.check()) check->orders().warpMet(warp, rendezvous.arrived, rendezvous.mask);
  warp.ready |= rendezvous.arrived;
}

void arrive(Warp& warp, uint32_t lanes, uint32_t mask, const SimulatedPoint& point) {
  auto& all = warp.allRendezvous;
  size_t at = 0;
  while (at < all.size() && (all[at].operation != point.operation || all[at].detail != point.detail ||
                             all[at].mask != mask || (all[at].arrived & lanes) != 0))
    ++at;
  if (at == all.size()) all.push_back({point.operation, point.detail, mask, 0, point.line});
  all[at].arrived |= lanes;
  if (!isComplete(warp, all[at])) return;
  const WarpRendezvous rendezvous = all[at];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  finish(warp, rendezvous);
}

}  // namespace

void meetWarp(Warp& warp, uint32_t group, uint32_t pointNumber) {
  const SimulatedPoint& point = warp.block->grid->kernel().points[pointNumber];
  if (point.isFull && warp.allRendezvous.empty() && (warp.alive & ~group) == 0)
    return finish(warp, {point.operation, point.detail, ~0u, group, point.line});
  const uint64_t* masks = warp.values() + point.values * kSimLanes;
  // Those who name the same lanes come together.
  while (group != 0) {
    const auto first = static_cast<uint32_t>(std::countr_zero(group));
    const auto named = [&](uint32_t lane) {
      return point.isFull ? ~0u : static_cast<uint32_t>(masks[lane]) | 1u << lane;
    };
    const uint32_t mask = named(first);
    uint32_t same = 0;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (named(lane) == mask) same |= 1u << lane;
    }
    group &= ~same;
    arrive(warp, same, mask, point);
  }
}

void leaveWarp(Warp& warp) {
  for (size_t i = 0; i < warp.allRendezvous.size();) {
    const WarpRendezvous rendezvous = warp.allRendezvous[i];
    if (!isComplete(warp, rendezvous)) {
      ++i;
      continue;
    }
    warp.allRendezvous.erase(warp.allRendezvous.begin() + static_cast<std::ptrdiff_t>(i));
    finish(warp, rendezvous);
  }
}

bool releaseActiveMasks(SimBlock& block) {
  bool released = false;
  for (Warp& warp : block.warps) {
    if (warp.asking == 0) continue;
    const uint32_t point = warp.pointOf(static_cast<uint32_t>(std::countr_zero(warp.asking)));
    uint32_t together = 0;
    for (uint32_t rest = warp.asking; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (warp.pointOf(lane) == point) together |= 1u << lane;
    }
    for (uint32_t rest = together; rest != 0; rest &= rest - 1)
      warp.values()[std::countr_zero(rest)] = together;
    warp.asking &= ~together;
    warp.ready |= together;
    released = true;
  }
  return released;
}

}  // namespace hilo
