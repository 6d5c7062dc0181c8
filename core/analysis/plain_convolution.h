// Convolutions in the form that cuDNN takes: forward, the same padding on both sides, all arrays dense with
// their features second or fastest varying; the kernel [output feature, input feature, space...] likewise, in
// whatever order it lies now.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct PlainConvolution {
  bool featuresLast = false;
  int64_t batch = 1, groups = 1, inputFeatures = 1, outputFeatures = 1;  // features: of one group
  std::vector<int64_t> inputSizes, outputSizes, filterSizes, strides, dilations, paddings;
  // Dimensions of the kernel from the slowest to the fastest, as it must lie.
  std::vector<int64_t> kernelOrder;
};

// Of f16, bf16, f32 or f64, all three arrays of one type.
std::optional<PlainConvolution> plainConvolution(const Instruction& convolution);

}  // namespace hilo
