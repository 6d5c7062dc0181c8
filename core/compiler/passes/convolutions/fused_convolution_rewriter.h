// Makes calls to cuDNN of forward convolutions do what follows them: function(a * convolution(x, w) + b *
// side input + bias), where a and b are constants and the function is a relu or, with use_runtime_fusion and
// of f16 alone, an elu, a relu6 or a leaky relu. The call also takes over conversions of what it reads and
// gives: one of f32 whose operands are f16 written as f32 and whose result becomes f16 is one of f16, and the
// same of s8, where the bias stays f32 and the result saturates. Convolutions of 8 bit floats become graphs
// (f8_convolution_graph.h). As XLA's backends/gpu/transforms/cudnn_fused_conv_rewriter.cc, and in the order
// of its rewrites.
//
// Left alone: convolutions of each feature by itself, what somebody reads in between, and a conversion of an
// s8 result to f32, which XLA takes into the call: the sums no longer saturate. cuDNN has no other integers
// than s8, so that a convolution of these is an error, "unsupported-type".
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct FusedConvolutionSettings {
  bool runtimeFusion = false;  // functions that cuDNN compiles when it runs: compute capability 7.5 or more
  bool f8Graphs = true;        // 8.9 or more
};

Result<bool> fuseConvolutions(Module& module, PassContext& context,
                              const FusedConvolutionSettings& settings = {});

}  // namespace hilo
