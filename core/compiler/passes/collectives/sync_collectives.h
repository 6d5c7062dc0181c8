// Makes one synchronous collective of a start and its done: the opposite of async_collective_creator.h. Of
// use where nothing runs between them, and to see what overlapping is worth. In a scheduled module the
// collective stands where the done stood. Behaves like XLA's
// hlo/transforms/collectives/convert_async_collectives_to_sync.cc, and, for all of them, like its
// xla_gpu_disable_async_collectives=ALLCOLLECTIVES.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// all: every pair. Else those of a scheduled module between which only such runs as takes no time.
Result<bool> makeCollectivesSync(Module& module, PassContext& context, bool all);

// The passes.
Result<bool> makeUnhiddenCollectivesSync(Module& module, PassContext& context);
Result<bool> makeAllCollectivesSync(Module& module, PassContext& context);

}  // namespace hilo
