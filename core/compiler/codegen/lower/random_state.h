// The 128 bits that rng and rng-get-and-update-state draw from: memory of their own in the program.
#pragma once

#include "core/compiler/codegen/lower/lowering_context.h"

namespace hilo {

// Where an instruction of the module draws from it.
void addRandomState(ProgramDraft& draft);
// At the start of the entry computation.
void startRandomState(LoweringContext& entry);

}  // namespace hilo
