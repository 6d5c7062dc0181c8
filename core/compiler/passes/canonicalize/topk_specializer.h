// Takes a kernel of the program for top-k of a few of many: calls to "TopK" of rows of f32 or bf16 become
// calls to "__gpu$TopK", where the number of results is within what the kernel does: 16 of at least 1024, or
// with any order among equals 128 (up to 256 for many long rows). As XLA's
// backends/gpu/transforms/topk_specializer.cc on NVIDIA.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> specializeTopK(Module& module, PassContext& context);

}  // namespace hilo
