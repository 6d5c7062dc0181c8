// Sizes the workspace of CUB's running sums, and makes them calls of FFI: an estimate, for every tile of 1024
// elements what it sums up to and how far it is, and 32 tiles more in front of each row. XLA's
// backends/gpu/transforms/estimate_cub_scan_scratch_size.cc asks CUB itself. Left alone: calls whose
// configuration is not read, other scans than sums, and calls whose result is read whole.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> estimateScanScratch(Module& module, PassContext& context);

}  // namespace hilo
