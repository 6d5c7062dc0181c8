// oneDNN as a peer of the cpu engine's kernels.
#pragma once

#include <dnnl.hpp>

#include <chrono>

#include "core/base/float_formats.h"
#include "tests/bench/kernel_peers.h"

namespace hilo {

// Primitives of oneDNN with their arguments, run in order.
class OneDnn {
 public:
  using Dims = dnnl::memory::dims;
  using Type = dnnl::memory::data_type;
  // Of f32 or bf16, filled.
  dnnl::memory array(Dims dims, Dims strides, Type type = Type::f32) {
    dnnl::memory memory({dims, type, strides}, engine);
    const auto bytes = static_cast<int64_t>(memory.get_desc().get_size());
    if (type == Type::bf16) {
      fillForBench(static_cast<BF16*>(memory.get_data_handle()), bytes / 2);
    } else {
      fillForBench(static_cast<float*>(memory.get_data_handle()), bytes / 4);
    }
    return memory;
  }
  dnnl::memory matrix(int64_t rows, int64_t columns) { return array({rows, columns}, {columns, 1}); }
  void add(const dnnl::primitive& primitive, std::unordered_map<int, dnnl::memory> arguments) {
    steps_.emplace_back(primitive, std::move(arguments));
  }
  double runUs() {
    const auto start = std::chrono::steady_clock::now();
    for (auto& [primitive, arguments] : steps_) primitive.execute(stream_, arguments);
    stream_.wait();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};

 private:
  dnnl::stream stream_{engine};
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, dnnl::memory>>> steps_;
};

inline void compare(benchmark::State& state, OurKernel& ours, OneDnn& theirs) {
  const Peer peer{"onednn", [&theirs] { return theirs.runUs(); }};
  compare(state, ours, {&peer, 1});
}

}  // namespace hilo
