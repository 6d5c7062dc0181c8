// The two ends of what runs beside the rest of the program.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether `to` goes on with, or ends, what `from` began: "all-gather-start" and its "all-gather-done", "send"
// and "send-done", and updates in between. One is an operand of the other.
bool isAsyncPair(const Instruction& from, const Instruction& to);

}  // namespace hilo
