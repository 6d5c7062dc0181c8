// Lets a kernel of elementwise work write copies of its results too, where copy-insertion added such copies:
// a copy of a fusion, in its layout, becomes another output of the fusion. In the entry computation. As XLA's
// backends/gpu/transforms/copy_fusion.cc, for fusions in which nothing but elementwise work follows
// from a parameter.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseCopies(Module& module, PassContext& context);

}  // namespace hilo
