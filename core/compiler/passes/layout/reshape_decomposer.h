// Makes a bitcast of every reshape and transpose whose result is the bytes of its operand; other reshapes
// become a copy into row-major order and a bitcast. As XLA's hlo/transforms/expanders/reshape_decomposer.cc,
// which leaves transposes to the layout-sensitive algebraic simplifier.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeReshapes(Module& module, PassContext& context);

}  // namespace hilo
