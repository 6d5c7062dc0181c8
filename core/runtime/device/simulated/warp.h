// Private to the room: what lanes of a warp do together. One mechanism for all: lanes lay down their operands
// and wait, the last ones to come work out the results of all, and all go on.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/runtime/device/simulated/grid.h"

namespace hilo {

// Numbers that compiled code calls operations by.
enum class WarpOp : uint32_t {
#define WARP_OP(name, function) name,
#include "core/runtime/device/simulated/warp_ops.def"
};

// One operation, all its lanes there.
struct WarpCall {
  uint64_t* values = nullptr;  // [value][lane]
  uint32_t mask = 0, detail = 0, line = 0;
  Warp* warp = nullptr;

  uint64_t& at(uint32_t lane, uint32_t value) const { return values[value * kSimLanes + lane]; }
  bool has(uint32_t lane) const { return (mask >> lane & 1) != 0; }
};

// Lanes of `group` came to the point.
void meetWarp(Warp& warp, uint32_t group, uint32_t point);
// Of lanes that ended: those that waited for them go on.
void leaveWarp(Warp& warp);
// Lets those go on that asked who is active, those of one place together. False: nobody asked.
bool releaseActiveMasks(SimBlock& block);

}  // namespace hilo
