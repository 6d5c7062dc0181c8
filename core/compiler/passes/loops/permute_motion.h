// Moves a collective-permute, with the elementwise work behind it, from the end of a loop's body to the start
// of the next iteration, so that it can be merged with others there: of elements that nothing reads after the
// loop. The first iteration takes the value as it came. As XLA's service/spmd/collective_permute_motion.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> moveCollectivePermutes(Module& module, PassContext& context);

}  // namespace hilo
