// Pads the features of convolutions of cuDNN with zeros to the multiples that tensor cores take: of f16 to 8,
// or three input features to 4 where 32 or 64 come out, if no array grows by more than 35%; of 8 bit
// integers, in convolutions over two dimensions, to 32 or else to 4, if none doubles. What the padding adds
// to the result is cut off again. As XLA's backends/gpu/transforms/cudnn_pad_for_convolutions.cc; features
// that are split into vectors already are not padded.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ConvolutionPadding {
  bool longVectors = true;  // integers to 32, which compute capability 7.5 takes
};

Result<bool> padCudnnConvolutions(Module& module, PassContext& context,
                                  const ConvolutionPadding& settings = {});

}  // namespace hilo
