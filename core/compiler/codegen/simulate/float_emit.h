// Private to the room: arithmetic on floats, of any of PTX's types.
#pragma once

#include "core/compiler/codegen/simulate/function_emitter.h"

namespace hilo {

enum class FloatBinary : uint8_t { Add, Sub, Mul, Div, Min, Max };
Status emitFloatBinary(FunctionEmitter& f, FloatBinary op);
// abs, or neg.
Status emitFloatSign(FunctionEmitter& f, bool isAbs);

}  // namespace hilo
