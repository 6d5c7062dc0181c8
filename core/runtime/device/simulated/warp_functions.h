// Private to the room: the functions of warp_ops.def. What each lane's record holds is said with each;
// `detail` is the operation's own, of sim_abi.h.
#pragma once

#include "core/runtime/device/simulated/warp.h"

namespace hilo {

#define WARP_OP(name, function) void function(WarpCall& call);
#include "core/runtime/device/simulated/warp_ops.def"

}  // namespace hilo
