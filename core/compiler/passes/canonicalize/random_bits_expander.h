// Writes random bits by Philox as the arithmetic it is (Salmon et al., Parallel random numbers: as easy as 1,
// 2, 3; SC 2011): 4x32 with 10 rounds, a block of four words for each counter. As XLA's
// hlo/transforms/expanders/rng_bit_generator_expander.cc; Threefry stays, and so do elements of less than
// eight bits and of complex numbers.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandRandomBits(Module& module, PassContext& context);

}  // namespace hilo
