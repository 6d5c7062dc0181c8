// The cpu engine's kernels against oneDNN's, and OpenBLAS's and libtorch's where they are installed, in turn
// in the same run and on as many threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and the processors the
// process may use say how many. OpenBLAS 0.3.21 needs OPENBLAS_CORETYPE=SkylakeX on newer processors. What
// models do between their products, in f32 and bf16, in the shapes they have it in and in others; products
// are those of `bench_products`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <limits>

#include "core/runtime/device/host/thread_pool.h"
#include "tests/bench/kernel_peers.h"
#include "tests/bench/kernel_works.h"

namespace hilo {
namespace {

[[gnu::target_clones("avx512f", "avx2", "default")]] float plainSum(const float* x, int64_t count) {
  constexpr int64_t kAtOnce = 64;
  float sums[kAtOnce] = {};
  for (int64_t i = 0; i + kAtOnce <= count; i += kAtOnce) {
    for (int64_t j = 0; j < kAtOnce; ++j) sums[j] += x[i + j];
  }
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

// What memory allows: an array of the shape summed in f32 by the plainest loop, and copied, in microseconds.
// No reduction is quicker than the first, and nothing that makes as much as it reads than the second, unless
// it writes past the caches.
void memory(benchmark::State& state) {
  const int64_t count = state.range(0) * state.range(1);
  std::vector<float> from(static_cast<size_t>(count)), to(static_cast<size_t>(count));
  fillForBench(from.data(), count);
  const auto shortest = [&](const std::function<void(int64_t, int64_t)>& work) {
    double us = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 8; ++i) {
      const auto start = std::chrono::steady_clock::now();
      hostThreads().parallelFor(count, count / hostThreads().threads(), work);
      const auto end = std::chrono::steady_clock::now();
      us = std::min(us, std::chrono::duration<double, std::micro>(end - start).count());
    }
    return us;
  };
  double readUs = std::numeric_limits<double>::infinity(), copyUs = readUs;
  for (auto _ : state) {
    readUs = std::min(readUs, shortest([&](int64_t begin, int64_t end) {
                        benchmark::DoNotOptimize(plainSum(from.data() + begin, end - begin));
                      }));
    copyUs = std::min(copyUs, shortest([&](int64_t begin, int64_t end) {
                        std::memcpy(to.data() + begin, from.data() + begin,
                                    sizeof(float) * static_cast<size_t>(end - begin));
                      }));
  }
  state.counters["read_us"] = readUs;
  state.counters["copy_us"] = copyUs;
}
BENCHMARK(memory)
    ->Args({64, 1024})
    ->Args({128, 768})
    ->Args({512, 256})
    ->Args({256, 768})
    ->Args({512, 512})
    ->Args({512, 768})
    ->Args({2048, 768})
    ->Args({2048, 1024})
    ->Args({4096, 1024})
    ->Args({4096, 4096})
    ->Unit(benchmark::kMicrosecond);

void measure(benchmark::State& state, const KernelWork& work) {
  OurKernel ours(entryOf(work));
  std::vector<Peer> peers = oneDnnPeers(work);
#ifdef HILO_TORCH
  std::ranges::move(torchPeers(work), std::back_inserter(peers));
#endif
#ifdef HILO_OPENBLAS
  std::ranges::move(openBlasPeers(work), std::back_inserter(peers));
#endif
  compare(state, ours, peers);
}

struct Row {
  std::string_view name;
  std::vector<std::vector<int64_t>> sizes;
};

void addAll() {
  const std::vector<std::vector<int64_t>> layers = {{128, 768}, {512, 768}, {2048, 3072}},
                                          norms = {{64, 1024},  {128, 768},   {256, 768},  {512, 768},
                                                   {2048, 768}, {4096, 1024}, {2048, 3072}},
                                          sums = {{512, 256}, {2048, 1024}, {4096, 4096}},
                                          heads = {{1, 128, 12, 64}, {8, 512, 12, 64}},
                                          images = {{8, 7, 7, 512}, {8, 56, 56, 64}};
  std::vector<std::vector<int64_t>> rowSums = sums;
  rowSums.insert(rowSums.begin(), layers.begin(), layers.end());
  const Row rows[] = {
      {"layerNorm", norms},
      {"residualLayerNorm", layers},
      {"rmsNorm", layers},
      {"softmax", {{96, 128, 128}, {512, 1024}, {2048, 1024}, {4096, 4096}}},
      {"geluErf", layers},
      {"biasGeluResidual", {{128, 768}, {512, 1024}, {2048, 3072}}},
      {"swiGlu", layers},
      {"rowSums", rowSums},
      {"rowMaxima", layers},
      {"rowVariances", layers},
      {"columnSums", sums},
      {"fullSum", sums},
      {"middleSums", {{16, 128, 256}, {64, 512, 256}}},
      {"spaceMeans", images},
      {"transpose", {{512, 512}, {2048, 1024}, {4096, 4096}, {128, 768}, {512, 768}, {2048, 3072}}},
      {"splitHeads", heads},
      {"turnKeys", heads},
      {"channelsFirst", images},
  };
  for (const Row& row : rows) {
    for (const bool isBf16 : {false, true}) {
      for (const auto& sizes : row.sizes) {
        const std::string name =
            fmt::format("{}/{}/{}", row.name, isBf16 ? "bf16" : "f32", fmt::join(sizes, "x"));
        const KernelWork work = {row.name, sizes, isBf16};
        benchmark::RegisterBenchmark(name.c_str(), measure, work)->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  hilo::addAll();
  benchmark::RunSpecifiedBenchmarks();
}
