// Makes one batch dimension of several that lie together in both operands and in the result. As XLA's
// hlo/transforms/simplifiers/dot_dimension_merger.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> mergeDotDimensions(Module& module, PassContext& context);

}  // namespace hilo
