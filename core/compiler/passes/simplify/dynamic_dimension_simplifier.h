// Takes the detours out of arithmetic with sizes of dimensions, so that the dynamic padder sees whose they
// are: concatenates of concatenates, slices that take one operand of a concatenate of vectors, scalars made
// vectors and back, and converts and reshapes that change nothing. As XLA's
// hlo/transforms/simplifiers/dynamic_dimension_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyDynamicDimensions(Module& module, PassContext& context);

}  // namespace hilo
