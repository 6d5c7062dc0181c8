// Writes a scatter as one of a list of index vectors [windows, length] with updates [window, size...]; one
// into numbers as what its combiner does. Scatters with batching dimensions stay. As
// xla/service/scatter_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyScatters(Module& module, PassContext& context);

// Whether it has that form.
bool isSimplifiedScatter(const Instruction& scatter);

}  // namespace hilo
