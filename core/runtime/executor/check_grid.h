// Private to the room.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

// Whether there are as many devices as a run may have, and `given` lists of arguments, one for all or one
// each. Kind "wrong-argument".
Status checkGrid(DeviceGrid grid, size_t given);

}  // namespace hilo
