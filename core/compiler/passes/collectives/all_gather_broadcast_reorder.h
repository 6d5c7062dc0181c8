// Gathers what is broadcast, and broadcasts it afterwards, where the broadcast repeats it along a dimension
// that is not gathered. Where the gathered dimension is itself a repeated one, each device's value is
// gathered once along a dimension of its own. As XLA's
// hlo/transforms/collectives/all_gather_broadcast_reorder.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> gatherBeforeBroadcasts(Module& module, PassContext& context);

}  // namespace hilo
