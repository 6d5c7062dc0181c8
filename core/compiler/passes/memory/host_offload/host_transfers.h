// Makes copies, slices and updates between the host's memory and the device's asynchronous, so that the
// device works meanwhile. As XLA's hlo/transforms/simplifiers/host_memory_transfer_asyncifier.cc: a copy
// becomes copy-start and copy-done, a dynamic-slice out of the host's memory or a dynamic-update-slice into
// it an async-start of a computation of its own.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Error kind "memory-space-mismatch": an update's result lies elsewhere than what it updates.
Result<bool> makeHostTransfersAsync(Module& module, PassContext& context);

}  // namespace hilo
