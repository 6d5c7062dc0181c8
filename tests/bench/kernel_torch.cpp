#include "tests/bench/kernel_works.h"
#include "tests/bench/torch_timed.h"

namespace hilo {
namespace {

at::Tensor filled(const KernelWork& work, at::IntArrayRef sizes) {
  const at::Tensor tensor = filledTensor(sizes);
  return work.isBf16 ? tensor.to(at::kBFloat16) : tensor;
}

std::function<at::Tensor()> operationOf(const KernelWork& work) {
  const at::Tensor x = filled(work, work.sizes);
  const std::vector<int64_t> last = {work.sizes.back()};
  const at::Tensor scale = filled(work, last), shift = filled(work, last), other = filled(work, work.sizes);
  if (work.name == "layerNorm") return [=] { return at::layer_norm(x, last, scale, shift); };
  if (work.name == "residualLayerNorm") return [=] { return at::layer_norm(x + other, last, scale, shift); };
  if (work.name == "rmsNorm")
    return [=] { return (x * at::rsqrt(x.square().mean(-1, true).add_(1e-5))).mul_(scale); };
  if (work.name == "softmax") return [=] { return at::softmax(x, -1); };
  if (work.name == "geluErf") return [=] { return at::gelu(x + shift); };
  if (work.name == "biasGeluResidual") return [=] { return at::gelu(x + shift, "tanh").add_(other); };
  if (work.name == "swiGlu") return [=] { return at::silu(x).mul_(other); };
  if (work.name == "rowSums") return [=] { return x.sum(-1); };
  if (work.name == "columnSums") return [=] { return x.sum(0); };
  if (work.name == "fullSum") return [=] { return x.sum(); };
  if (work.name == "rowMaxima") return [=] { return x.amax(-1); };
  if (work.name == "rowVariances") return [=] { return x.var(-1, false); };
  if (work.name == "spaceMeans") return [=] { return x.mean({1, 2}); };
  if (work.name == "middleSums") return [=] { return x.sum(1); };
  if (work.name == "transpose") return [=] { return x.t().contiguous(); };
  if (work.name == "splitHeads") return [=] { return x.permute({0, 2, 1, 3}).contiguous(); };
  if (work.name == "turnKeys") return [=] { return x.permute({0, 2, 3, 1}).contiguous(); };
  if (work.name == "channelsFirst") return [=] { return x.permute({0, 3, 1, 2}).contiguous(); };
  return {};
}

}  // namespace

std::vector<Peer> torchPeers(const KernelWork& work) {
  const auto operation = operationOf(work);
  if (!operation) return {};
  return {timedTorch(operation)};
}

}  // namespace hilo
