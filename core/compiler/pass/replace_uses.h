// One user given another operand, while all others keep theirs.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Makes `user` take `to` wherever it takes `from`.
void replaceUsesBy(Instruction* user, const Instruction* from, Instruction* to);

}  // namespace hilo
