// What cuDNN's convolutions have in common.
#pragma once

#include "core/hlo/expand/expansion.h"

namespace hilo::library {

// Of the forward convolution, whichever way the call goes.
struct ForwardConvolution {
  std::vector<WindowDimension> window;
  ConvolutionDimensionNumbers numbers;
  int64_t groups = 1;
  double scale = 1;
  CallConfig config{nlohmann::json::object()};  // cudnn_conv_backend_config
};

Result<ForwardConvolution> readConvolution(const Expansion& call);
// The convolution of the first two operands, in the shape of the first result.
Result<Instruction*> forwardProduct(const Expansion& call, const ForwardConvolution& forward,
                                    ElementType type);
// As the type; 8 bit integers saturate.
Instruction* rounded(const Expansion& call, Instruction* value, ElementType type);
// exp(x) - 1 below zero.
Instruction* elu(const Expansion& call, Instruction* x);

}  // namespace hilo::library
