// Moves reshapes and transposes behind elementwise work where all operands come through the same one: fewer
// stay, and those further down meet others. As XLA's hlo/transforms/simplifiers/reshape_mover.cc; operands
// without a shape of their own (broadcasts of a scalar) are made anew.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> moveReshapes(Module& module, PassContext& context);

}  // namespace hilo
