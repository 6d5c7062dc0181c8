// Computes in a wider type what a GPU has no instructions for, elementwise: operands are converted, the
// result converted back. Values move in their own type. As XLA's
// hlo/transforms/simplifiers/float_normalization.cc with the types of its GPU pipeline.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// bf16 and f8e8m0fnu to f32, s4 to s8, u4 to u8, the others to f16.
template <ElementType narrow>
Result<bool> normalizeFloats(Module& module, PassContext& context);

}  // namespace hilo
