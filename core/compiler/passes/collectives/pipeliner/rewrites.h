// The three ways to move collectives of a loop. Private to this folder. Each changes the loop in place and
// leaves instructions in an order that restoreOrder() puts right, and dead ones to dead code elimination.
#pragma once

#include "core/compiler/passes/collectives/pipeliner/moves.h"
#include "core/compiler/passes/loops/body_copier.h"
#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {

Status moveForward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                   CopyNumbers& numbers);
Status moveBackward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                    CopyNumbers& numbers);
Status sinkForward(LoopParts& parts, const LoopMoves& found, const PipelinerOptions& options,
                   CopyNumbers& numbers);

// dynamic-update-slice(into, update) at `index` along one dimension and zero along the others, at the end
// of the computation.
Instruction* storeSlice(Instruction* into, Instruction* update, int64_t dimension, Instruction* index);

// A value equal to the element `value` takes from an inner loop when that is the end value of its counter,
// computed without the loop; else `value` itself.
Instruction* withoutInnerLoop(Instruction* value);

}  // namespace hilo
