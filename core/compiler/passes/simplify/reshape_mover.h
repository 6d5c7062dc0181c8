// Moves reshapes and transposes behind elementwise work where all operands come through the same one: fewer
// stay, and those further down meet others. Operands that take another form for nothing (constants,
// broadcasts whose dimensions the change leaves alone) are made anew. A reshape that others read too moves
// only where all of them let it. As XLA's hlo/transforms/simplifiers/reshape_mover.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ReshapeMoves {
  // Reshapes of broadcasts of one dimension count for nothing, and broadcasts may be of several.
  bool broadcastsAreCheap = false;
};

Result<bool> moveReshapes(Module& module, PassContext& context, const ReshapeMoves& moves = {});

}  // namespace hilo
