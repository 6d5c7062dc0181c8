// libtorch as a peer, without gradients.
#include <cmath>
#include <vector>

#include "tests/bench/dot_peers.h"
#include "tests/bench/torch_timed.h"

namespace hilo {

Peer torchMatmul(int64_t batch, int64_t m, int64_t n, int64_t k) {
  const auto sizes = [batch](int64_t rows, int64_t columns) {
    return batch == 1 ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{batch, rows, columns};
  };
  return timedTorch(
      [a = filledTensor(sizes(m, k)), b = filledTensor(sizes(k, n))] { return at::matmul(a, b); });
}

Peer torchMatmulOfF64(int64_t m, int64_t n, int64_t k) {
  return timedTorch([a = filledTensor({m, k}).to(at::kDouble), b = filledTensor({k, n}).to(at::kDouble)] {
    return at::mm(a, b);
  });
}

Peer torchMatmulOfS32(int64_t m, int64_t n, int64_t k) {
  const auto whole = [](at::IntArrayRef sizes) { return filledTensor(sizes).mul(1000).to(at::kInt); };
  return timedTorch([a = whole({m, k}), b = whole({k, n})] { return at::mm(a, b); });
}

Peer torchConvolution(const ConvolutionSizes& c) {
  const auto last = at::MemoryFormat::ChannelsLast;
  const at::Tensor x = filledTensor({c.batch, c.inputFeatures, c.input, c.input}).contiguous(last),
                   w = filledTensor({c.outputFeatures, c.inputFeatures / c.groups, c.filter, c.filter});
  const std::vector<int64_t> strides(2, c.stride), paddings(2, c.padding), dilations(2, 1);
  return timedTorch([=] { return at::conv2d(x, w, {}, strides, paddings, dilations, c.groups); });
}

Peer torchAttention(int64_t heads, int64_t length, int64_t depth) {
  const at::Tensor q = filledTensor({heads, length, depth}), k = filledTensor({heads, length, depth}),
                   v = filledTensor({heads, length, depth}), mask = filledTensor({length, length});
  const double scale = 1 / std::sqrt(static_cast<double>(depth));
  return timedTorch([=] {
    // The mask, and the scale with it, as part of the first product.
    at::Tensor weights = at::baddbmm(mask, q, k.transpose(1, 2), 1, scale);
    return at::bmm(at::softmax(weights, -1), v);
  });
}

}  // namespace hilo
