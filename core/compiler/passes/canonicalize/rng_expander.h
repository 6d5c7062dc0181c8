// Writes random numbers as a call that draws bits by Philox (random_bits_expander.h) and makes numbers of
// them: the key is of the seed of the run, the instruction and the replica, the counter that of the device.
// f16 and bf16 are drawn as f32; normal numbers by Box and Muller. As XLA's
// hlo/transforms/expanders/rng_expander.cc. Numbers are others than the
// instruction's own, which no one promises.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandRandomNumbers(Module& module, PassContext& context);

}  // namespace hilo
