// What follows a call to cuBLASLt of 8 bit floats and can become part of it: a scale of its result, or the
// way back to 8 bits: convert(clamp(D * scale)), with the largest magnitude of D where it is asked for.
#pragma once

#include "core/compiler/passes/dots/gemm_products.h"

namespace hilo {

// The types of 8 bits that the library multiplies and gives.
bool isF8Result(ElementType type);
// A scale as the library takes it: in f32; `inverted`: one over it.
Instruction* f8Scale(Instruction* scale, bool inverted, Instruction& before);
// The vector that the call may add where `vector` is wanted: halves, widened or not. Null: none.
Instruction* f8Bias(const GemmCall& call, Instruction& vector);

// True when `i` became part of a call.
bool fuseF8Scale(Instruction& i, GemmProducts& products);
bool fuseF8Conversion(Instruction& convert, GemmProducts& products);

}  // namespace hilo
