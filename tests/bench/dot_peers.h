// Products by libraries that a machine may have or not: OpenBLAS (dot_openblas.cpp) and libtorch
// (dot_torch.cpp), each in a file of its own that the build takes where the library is. Arrays are
// dense, and f32 but where another type is named. In C++17, as libtorch is.
#pragma once

#include "tests/bench/peer.h"

namespace hilo {

struct ConvolutionSizes {
  int64_t batch, inputFeatures, input, outputFeatures, filter, stride, padding, groups;
  int64_t output() const { return (input + 2 * padding - filter) / stride + 1; }
};

// [batch,m,k] by [batch,k,n].
Peer openBlasMatmul(int64_t batch, int64_t m, int64_t n, int64_t k);
Peer torchMatmul(int64_t batch, int64_t m, int64_t n, int64_t k);
// [m,k] by [k,n] of f64, and of s32.
Peer openBlasMatmulOfF64(int64_t m, int64_t n, int64_t k);
Peer torchMatmulOfF64(int64_t m, int64_t n, int64_t k);
Peer torchMatmulOfS32(int64_t m, int64_t n, int64_t k);
// Channels last; the filter in the order [output features, input features, space].
Peer torchConvolution(const ConvolutionSizes& sizes);
// softmax(q k^T * scale + mask) v for [heads, length, depth] and a mask [length, length].
Peer torchAttention(int64_t heads, int64_t length, int64_t depth);

}  // namespace hilo
