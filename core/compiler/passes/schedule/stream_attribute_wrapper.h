// Starts the work that names a stream other than the default (operation_queue_id in its configuration), and
// waits for it where its value is used: it runs on a thread of its own, "parallel". As XLA's
// backends/gpu/transforms/stream_attribute_async_wrapper.cc, but that starts and dones are left as they are.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> wrapStreamAttributes(Module& module, PassContext& context);

}  // namespace hilo
