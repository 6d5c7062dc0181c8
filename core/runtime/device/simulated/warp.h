// Private to the room: what lanes of a warp do together. One mechanism for all: each lane lays down its
// operands and waits, the last one to come works out the results of all, and all go on.
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

// One operation, all its lanes there. records[i] is null of lanes that take no part.
struct WarpCall {
  uint64_t* records[32] = {};
  uint32_t mask = 0, detail = 0;
  Warp* warp = nullptr;
};

void meetWarp(Lane& lane, uint32_t operation, uint32_t detail, uint32_t mask, uint64_t* record,
              uint32_t line);
uint32_t activeMask(Lane& lane, uint32_t line);
// Of a lane that ends.
void leaveWarp(Lane& lane);
// Lets those go on that asked who is active, those of one place together. False: nobody asked.
bool releaseActiveMasks(SimBlock& block);

}  // namespace hilo
