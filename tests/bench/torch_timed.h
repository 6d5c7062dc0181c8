// What the files that have libtorch as a peer share. In C++17, as libtorch is.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <utility>

#include "tests/bench/peer.h"

namespace hilo {

// Of f32, with the values all sides work on.
inline at::Tensor filledTensor(at::IntArrayRef sizes) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  fillForBench(tensor.data_ptr<float>(), tensor.numel());
  return tensor;
}

// Without gradients.
inline Peer timedTorch(std::function<at::Tensor()> work) {
  return {
      "torch", [work = std::move(work)] {
        const c10::InferenceMode inference;
        const auto start = std::chrono::steady_clock::now();
        const at::Tensor result = work();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      }};
}

}  // namespace hilo
