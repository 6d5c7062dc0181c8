// Writes a reduction whose result lies in another order than what is left of its operand as one in that
// order and a copy, so that a kernel for reductions writes what it reads in order. As
// xla/hlo/transforms/expanders/reduce_decomposer.cc, for one array.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeReduces(Module& module, PassContext& context);

}  // namespace hilo
