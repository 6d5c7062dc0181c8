// Private to the room: the functions of translations.def. Each writes the instruction that the emitter is at;
// an error says what of it is not simulated.
#pragma once

#include "core/compiler/codegen/simulate/function_emitter.h"

namespace hilo {

#define TRANSLATION(op, function) Status function(FunctionEmitter& f);
#include "core/compiler/codegen/simulate/translations.def"

// Null of a family that is not simulated.
Status (*translationOf(PtxOp op))(FunctionEmitter& f);

}  // namespace hilo
