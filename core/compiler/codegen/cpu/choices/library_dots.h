// Brings dots that a library does better into the form it takes them in (core/analysis says which they
// are): convolutions with channels last, forward or as the gradient they are, f16 as f32. What plain loops do
// is left alone. In the spirit of XLA's service/cpu/conv_canonicalization.cc, for more forms.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> prepareLibraryDots(Module& module, PassContext& context);

// Whether the convolution was rewritten.
bool prepareConvolution(Instruction& convolution, PassContext& context);

}  // namespace hilo
