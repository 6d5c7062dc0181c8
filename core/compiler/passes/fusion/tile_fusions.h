// Work beside kernels of tiles becomes part of them: of fusions of kind __triton with a tiling
// (block_level_fusion_config), which later steps make no more of by themselves.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Puts into each such kernel scalar constants it reads and elementwise work or loop fusions that it alone
// reads; and the kernel into all its readers, where these are loops over arrays of the size it gives. The
// tiling stays: it is that of the result. As XLA's priority_fusion.cc has it for such fusions; complex
// numbers stay outside. Fuel is asked of each kernel that grows.
bool growTileFusions(Computation& computation, PassContext& context);

}  // namespace hilo
