// Lets the kernel that follows a product's kernel start before that one ends (programmatic dependent launch):
// notes on the first that it may ("xla.pdl_launch"), and on the next which operands come from it and so must
// not be read ahead ("xla.no_invariant_operands"). Of scheduled modules. As XLA's
// backends/gpu/transforms/pdl_launch_annotation.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> annotatePdlLaunches(Module& module, PassContext& context);

}  // namespace hilo
