// Convolutions that oneDNN does better than plain loops, and the form it takes them in. The pass
// library-dots brings them into that form, and code generation looks for it.
//
// A convolution is one of three, all told by the forward one they belong to: that one itself; its input's
// gradient, whose base is dilated by the forward stride; its filter's gradient, whose window is the larger
// array and whose batch is what is summed.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Multiplications below which a call is not worth it, and the exact sums of plain loops are kept.
inline constexpr double kLeastLibraryWork = 32 * 32 * 32;

struct LibraryConvolution {
  ConvolutionKind kind = ConvolutionKind::Fprop;
  // What must be done first: f16 made f32, zeros written around and into the input, spatial dimensions of the
  // kernel reversed, groups of the batch made groups of features.
  bool widens = false, padsInput = false, reversesKernel = false, foldsBatchGroups = false;
  // Each channel by itself, of f32: code generation does these better, with the kernel's channels dense.
  bool isDepthwise = false;
  // Dimensions from the slowest to the fastest in which each array must lie; empty: in any.
  std::vector<int64_t> inputOrder, kernelOrder, resultOrder;

  bool needsRewriting() const { return widens || padsInput || reversesKernel || foldsBatchGroups; }
};

// nullopt: not for the library, whatever is done.
std::optional<LibraryConvolution> libraryConvolution(const Instruction& convolution);

// Whether spatial dimension `d` of the kernel must be reversed for the library.
bool isKernelReversed(const WindowDimension& window, ConvolutionKind kind);

// Whether the array's elements lie in this order (dimensions of one element aside).
bool liesInOrder(Shape shape, std::span<const int64_t> majorToMinor);

// One dimension of space of a forward convolution. What is read past the last element is zero.
struct ForwardDimension {
  int64_t input = 1, output = 1, filter = 1;
  int64_t stride = 1, dilation = 1, padding = 0;
  // Zeros behind the input that make the sizes exact; less than nothing where the last elements go unread.
  int64_t paddingBehind() const {
    return (output - 1) * stride + (filter - 1) * dilation + 1 - input - padding;
  }
  bool isInRange() const { return padding >= 0 && paddingBehind() > -stride; }
};
// Of a convolution of that kind that needs no rewriting (or only of types and orders).
std::vector<ForwardDimension> forwardDimensions(const Instruction& convolution, ConvolutionKind kind);

}  // namespace hilo
