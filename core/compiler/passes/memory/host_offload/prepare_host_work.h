// Gets work that runs on the host ready for passes that look at the device alone. As XLA's
// hlo/transforms/host_offloading_prepare.cc, which does either.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// An async-start on the host's thread of a call becomes one of the custom call "HostExecute" of the same
// computation, in which no pass looks at instructions.
Result<bool> convertHostWorkToCustomCalls(Module& module, PassContext& context);

// Operands of such starts are not moved to the host by MoveToHost: the start takes them from where they are.
Result<bool> elideMovesToHostWork(Module& module, PassContext& context);

}  // namespace hilo
