// Lets what reads an element that a loop carries run before what writes the next value of that element, by
// control dependencies, so that no copy is needed between them. Loops with asynchronous collectives in their
// bodies are left. As XLA's service/loop_schedule_linearizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> linearizeLoopSchedules(Module& module, PassContext& context);

}  // namespace hilo
