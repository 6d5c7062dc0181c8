// Sends what an all-gather of partitions gathers only where it is read: where the gathered array is padded
// with zeros at one side, and each partition takes a slice along the gathered dimension, in which either
// all that was gathered lies or nothing of it. The partitions whose slice has it get each part by a
// collective-permute and put them together; the others have zeros. As XLA's
// hlo/transforms/simplifiers/all_gather_pad_ds_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> permutePaddedGathers(Module& module, PassContext& context);

}  // namespace hilo
