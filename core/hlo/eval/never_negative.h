// What is known of the sign of floats before they are computed.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether what an instruction gives is at least 0 whatever the arguments are, as far as a few steps back
// tell: squares, exponentials, a constant such as an epsilon; sums, products and copies of such.
bool isNeverNegative(const Instruction& instruction);

}  // namespace hilo
