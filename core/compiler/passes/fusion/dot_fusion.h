// Makes one kernel of a dot with what only it reads and what is made of its result alone: conversions and
// data moved in front of it, as far as they read no more bytes than they give, elementwise work behind it.
// Dots of fewer than 16 products a sum stay; of those of fewer than 16 rows or columns the other operand,
// which is read for each line of the matrix, takes only what costs nothing. Remarks: "fused" with how many
// instructions are before and after.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseDots(Module& module, PassContext& context);

}  // namespace hilo
