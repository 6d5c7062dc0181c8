// Work made asynchronous so that it runs beside other work: dots, and copies that change no layout. As XLA's
// backends/gpu/transforms/async_wrapper.cc with what the pipeline wraps, and gpu_copy_async_wrapper.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AsyncWork {
  bool gemms = true;  // calls of cuBLASLt, and fusions that are kernels of tiles
  bool fusions = false, customCalls = false;
};

Result<bool> wrapWorkAsync(Module& module, PassContext& context, const AsyncWork& which = {});

struct AsyncCopies {
  int64_t leastBytes = -1;  // -1: none
};

// Not copies from or to the host.
Result<bool> makeCopiesAsync(Module& module, PassContext& context, const AsyncCopies& which = {});

// What names a stream other than the default (operation_queue_id in its configuration) runs on a thread of
// its own, "parallel". Starts and dones are left as they are. As XLA's
// backends/gpu/transforms/stream_attribute_async_wrapper.cc.
Result<bool> wrapStreamAttributes(Module& module, PassContext& context);

}  // namespace hilo
