// Says of each start of a collective whether it runs beside other work or in place (is_sync in its
// configuration): all run beside but those of the kinds that are switched off. As XLA's
// backends/gpu/transforms/collectives/async_collective_annotator.cc with xla_gpu_disable_async_collectives.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Which kinds run beside other work.
struct AsyncKinds {
  bool allReduce = true, allGather = true, reduceScatter = true, collectiveBroadcast = true, allToAll = true,
       collectivePermute = true, raggedAllToAll = true;
};
Result<bool> annotateAsyncCollectives(Module& module, PassContext& context, const AsyncKinds& kinds = {});

}  // namespace hilo
