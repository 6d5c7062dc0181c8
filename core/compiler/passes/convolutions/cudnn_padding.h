// Pads the features of convolutions of cuDNN with zeros to the multiples that tensor cores take: of f16 to 8,
// or three input features to 4 where 32 or 64 come out, if no array grows by more than 35%; of 8 bit integers
// to 4, if none doubles. What the padding adds to the result is cut off again. As XLA's
// backends/gpu/transforms/cudnn_pad_for_convolutions.cc; integers are not padded to 32, and calls with a bias
// not at all.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> padCudnnConvolutions(Module& module, PassContext& context);

}  // namespace hilo
