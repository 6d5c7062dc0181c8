// The cpu engine's kernels against oneDNN's, and OpenBLAS's and libtorch's where they are installed, in turn
// in the same run and on as many threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and the processors the
// process may use say how many. OpenBLAS 0.3.21 needs OPENBLAS_CORETYPE=SkylakeX on newer processors. What
// models do between their products, in f32 and bf16, in the shapes they have it in and in others; products
// are those of `bench_dots`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/bench/kernel_memory.h"
#include "tests/bench/kernel_peers.h"
#include "tests/bench/kernel_works.h"

namespace hilo {
namespace {

// Beside what `compare` counts: memory_us, in which memory alone lets it be done, and `ceiling`, what `speed`
// would be if ours took no longer than that.
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
  if (peers.empty()) return;
  const double memoryUs = memoryAloneUs(ours.operandBytes(), ours.resultBytes());
  state.counters["memory_us"] = memoryUs;
  state.counters["ceiling"] = state.counters["speed"] * state.counters["ours_us"] / memoryUs;
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
