// Private to the room: arithmetic on floats, of any of PTX's types.
#pragma once

#include "core/compiler/codegen/simulate/function_emitter.h"

namespace hilo {

// Lanes of a float type, as float or double each, and back, rounded to nearest.
std::vector<llvm::Value*> lanesOf(OperandEmitter& f, llvm::Value* value, const PtxType& type);
llvm::Value* joinLanes(OperandEmitter& f, const std::vector<llvm::Value*>& lanes, const PtxType& type);
// Of one lane.
llvm::Value* widen(OperandEmitter& f, llvm::Value* bits, const PtxType& lane);
llvm::Value* narrow(OperandEmitter& f, llvm::Value* value, const PtxType& lane);
// Subnormals to zero, with their sign.
llvm::Value* flush(OperandEmitter& f, llvm::Value* value);

enum class FloatBinary : uint8_t { Add, Sub, Mul, Div, Min, Max };
Status emitFloatBinary(FunctionEmitter& f, FloatBinary op);
// abs, or neg.
Status emitFloatSign(FunctionEmitter& f, bool isAbs);

}  // namespace hilo
