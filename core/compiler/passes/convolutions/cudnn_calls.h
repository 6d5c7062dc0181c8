// cuDNN's convolutions as calls: what several passes ask of them and make. Operands and results are those of
// core/hlo/expand/convolution.cpp.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

inline constexpr std::string_view kConvForward = "__cudnn$convForward",
                                  kConvBackwardInput = "__cudnn$convBackwardInput",
                                  kConvBackwardFilter = "__cudnn$convBackwardFilter",
                                  kConvBiasActivation = "__cudnn$convBiasActivationForward",
                                  kConvForwardGraph = "__cudnn$convForwardGraph";

// One of the five.
bool isCudnnConvolution(const Instruction& i);

// The call in front of `before`, with the metadata and the precision of it; the result is a tuple of `shape`
// and a workspace of no bytes, which an autotuner would size.
Instruction* makeCudnnCall(Instruction& before, std::string_view target, Shape shape,
                           std::span<Instruction* const> operands, std::span<const WindowDimension> window,
                           const ConvolutionDimensionNumbers& numbers, int64_t groups);

}  // namespace hilo
