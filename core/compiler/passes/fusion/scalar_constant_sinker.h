// Moves constant numbers that fusions read into them, where a kernel needs not load them: loops that were
// copied leave such starts of slices. Fusions of kind kCustom stay. As XLA's
// backends/gpu/transforms/scalar_constant_sinker.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sinkScalarConstants(Module& module, PassContext& context);

}  // namespace hilo
