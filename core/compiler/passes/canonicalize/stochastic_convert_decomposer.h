// Writes conversions with random rounding from floats to signed integers as arithmetic: the magnitude rounded
// down, and one more where the random number, as a fraction of its range, is below what was cut off. As XLA's
// hlo/transforms/expanders/stochastic_convert_decomposer.cc; conversions to other types stay, which
// are an error there.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeStochasticConverts(Module& module, PassContext& context);

}  // namespace hilo
