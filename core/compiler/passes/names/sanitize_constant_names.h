// Names constants so that they can be symbols of a kernel: letters, digits and '_', each once. As XLA's
// backends/gpu/transforms/sanitize_constant_names.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sanitizeConstantNames(Module& module, PassContext& context);

}  // namespace hilo
