#include "tests/bench/torch_peer.h"

#include <torch/torch.h>

#include <chrono>

namespace hilo {
namespace {

torch::Tensor filled(torch::IntArrayRef sizes) {
  torch::Tensor tensor = torch::empty(sizes);
  fillForBench(tensor.data_ptr<float>(), tensor.numel());
  return tensor;
}

std::function<torch::Tensor()> workOf(std::string_view work, int64_t rows, int64_t columns) {
  const torch::Tensor x = filled({rows, columns});
  if (work == "softmax") return [x] { return torch::softmax(x, 1); };
  if (work == "row-sums") return [x] { return x.sum(1); };
  if (work == "column-sums") return [x] { return x.sum(0); };
  if (work == "full-sum") return [x] { return x.sum(); };
  if (work == "transpose") return [x] { return x.t().contiguous(); };
  const torch::Tensor scale = filled({columns}), shift = filled({columns});
  if (work == "layer-norm") return [=] { return torch::layer_norm(x, {columns}, scale, shift); };
  const torch::Tensor residual = filled({rows, columns});
  if (work == "gelu") return [=] { return torch::gelu(x + shift, "tanh").add_(residual); };
  return {};
}

}  // namespace

std::vector<Peer> torchPeers(std::string_view work, int64_t rows, int64_t columns) {
  const auto run = workOf(work, rows, columns);
  if (!run) return {};
  return {
      {"torch", [run] {
         const torch::NoGradGuard noGradients;
         const auto start = std::chrono::steady_clock::now();
         const torch::Tensor result = run();
         return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
       }}};
}

}  // namespace hilo
