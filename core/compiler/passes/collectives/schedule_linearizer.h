// Orders all collectives of a computation one behind the other, as they stand in post-order, so that devices
// whose programs were tuned apart meet in the same order. As XLA's
// hlo/transforms/collectives/collectives_schedule_linearizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> linearizeCollectives(Module& module, PassContext& context);

}  // namespace hilo
