#include <torch/torch.h>

#include <chrono>

#include "tests/bench/model_parts.h"

namespace hilo {
namespace {

at::Tensor filled(const ModelPart& part, at::IntArrayRef sizes) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  fillForBench(tensor.data_ptr<float>(), tensor.numel());
  return part.isBf16 ? tensor.to(at::kBFloat16) : tensor;
}

std::function<at::Tensor()> workOf(const ModelPart& part) {
  const at::Tensor x = filled(part, part.sizes);
  const std::vector<int64_t> last = {part.sizes.back()};
  const at::Tensor scale = filled(part, last), shift = filled(part, last), other = filled(part, part.sizes);
  if (part.name == "layerNorm") return [=] { return at::layer_norm(x, last, scale, shift); };
  if (part.name == "residualLayerNorm") return [=] { return at::layer_norm(x + other, last, scale, shift); };
  if (part.name == "rmsNorm")
    return [=] { return (x * at::rsqrt(x.square().mean(-1, true).add_(1e-5))).mul_(scale); };
  if (part.name == "softmax") return [=] { return at::softmax(x, -1); };
  if (part.name == "geluErf") return [=] { return at::gelu(x + shift); };
  if (part.name == "swiGlu") return [=] { return at::silu(x).mul_(other); };
  if (part.name == "rowSums") return [=] { return x.sum(-1); };
  if (part.name == "rowMaxima") return [=] { return x.amax(-1); };
  if (part.name == "rowVariances") return [=] { return x.var(-1, false); };
  if (part.name == "spaceMeans") return [=] { return x.mean({1, 2}); };
  if (part.name == "middleSums") return [=] { return x.sum(1); };
  if (part.name == "transpose") return [=] { return x.t().contiguous(); };
  if (part.name == "splitHeads") return [=] { return x.permute({0, 2, 1, 3}).contiguous(); };
  if (part.name == "turnKeys") return [=] { return x.permute({0, 2, 3, 1}).contiguous(); };
  if (part.name == "channelsFirst") return [=] { return x.permute({0, 3, 1, 2}).contiguous(); };
  return {};
}

}  // namespace

std::vector<Peer> torchModelPart(const ModelPart& part) {
  const auto work = workOf(part);
  if (!work) return {};
  return {
      {"torch", [work] {
         const c10::InferenceMode inference;
         const auto start = std::chrono::steady_clock::now();
         const at::Tensor result = work();
         return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
       }}};
}

}  // namespace hilo
