// Marks starts of collectives that nothing hides as synchronous, in their backend configuration (is_sync):
// the GPU runtime then waits at once. The pair stays. As XLA's backends/gpu/transforms/collectives/
// convert_async_collectives_to_sync.cc, which does so instead of making one operation of the two.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> markUnhiddenCollectives(Module& module, PassContext& context);

}  // namespace hilo
