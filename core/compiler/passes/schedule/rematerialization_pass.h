// The passes that recompute values to need less memory: the rematerialisation of core/compiler/schedule with
// limits of its own.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Lowers the peak of a scheduled module to four fifths of what it is, as far as that goes.
Result<bool> runRematerialization(Module& module, PassContext& context);

}  // namespace hilo
