// libtorch as a peer, without gradients.
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "tests/bench/product_peers.h"

namespace hilo {
namespace {

at::Tensor filled(at::IntArrayRef sizes) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  fillForProducts(tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel()));
  return tensor;
}

ProductPeer timed(std::function<at::Tensor()> work) {
  return {
      "torch", [work = std::move(work)] {
        const c10::InferenceMode inference;
        const auto start = std::chrono::steady_clock::now();
        const at::Tensor result = work();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      }};
}

}  // namespace

ProductPeer torchMatmul(int64_t batch, int64_t m, int64_t n, int64_t k) {
  const auto sizes = [batch](int64_t rows, int64_t columns) {
    return batch == 1 ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{batch, rows, columns};
  };
  return timed([a = filled(sizes(m, k)), b = filled(sizes(k, n))] { return at::matmul(a, b); });
}

ProductPeer torchMatmulOfF64(int64_t m, int64_t n, int64_t k) {
  return timed(
      [a = filled({m, k}).to(at::kDouble), b = filled({k, n}).to(at::kDouble)] { return at::mm(a, b); });
}

ProductPeer torchMatmulOfS32(int64_t m, int64_t n, int64_t k) {
  const auto whole = [](at::IntArrayRef sizes) { return filled(sizes).mul(1000).to(at::kInt); };
  return timed([a = whole({m, k}), b = whole({k, n})] { return at::mm(a, b); });
}

ProductPeer torchConvolution(const ConvolutionSizes& c) {
  const auto last = at::MemoryFormat::ChannelsLast;
  const at::Tensor x = filled({c.batch, c.inputFeatures, c.input, c.input}).contiguous(last),
                   w = filled({c.outputFeatures, c.inputFeatures / c.groups, c.filter, c.filter});
  const std::vector<int64_t> strides(2, c.stride), paddings(2, c.padding), dilations(2, 1);
  return timed([=] { return at::conv2d(x, w, {}, strides, paddings, dilations, c.groups); });
}

ProductPeer torchAttention(int64_t heads, int64_t length, int64_t depth) {
  const at::Tensor q = filled({heads, length, depth}), k = filled({heads, length, depth}),
                   v = filled({heads, length, depth}), mask = filled({length, length});
  const double scale = 1 / std::sqrt(static_cast<double>(depth));
  return timed([=] {
    // The mask, and the scale with it, as part of the first product.
    at::Tensor weights = at::baddbmm(mask, q, k.transpose(1, 2), 1, scale);
    return at::bmm(at::softmax(weights, -1), v);
  });
}

}  // namespace hilo
