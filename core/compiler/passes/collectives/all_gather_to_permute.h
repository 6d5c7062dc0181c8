// Makes a collective-permute of a dynamic-slice in which each partition takes from an all-gather what one
// other partition put in, each another. A reshape may stand between. As XLA's
// hlo/transforms/simplifiers/all_gather_permuted_ds_simplifier.cc; unlike there, a partition that takes its
// own sends it to itself, as a partition to which nobody sends gets zeros.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> permuteInsteadOfGathering(Module& module, PassContext& context);

}  // namespace hilo
