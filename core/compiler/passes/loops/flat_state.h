// Loops that carry tuples within a tuple made to carry one tuple of all the arrays.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Whether it was one. Body and condition are the loop's own then; who read a tuple reads one built anew.
Result<bool> flattenState(Instruction& loop, PassContext& context);

}  // namespace hilo
