// Writes a scatter as one of a list of index vectors [windows, length] with updates [window, size...]; one
// into numbers as what its combiner does. Scatters with batching dimensions stay. As
// xla/service/scatter_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyScatters(Module& module, PassContext& context);

// Updates of a scatter by `count` index vectors as it has them then.
Instruction* listedUpdates(Instruction& scatter, Instruction* updates, int64_t count);
// Whether it has that form.
bool isSimplifiedScatter(const Instruction& scatter);

}  // namespace hilo
