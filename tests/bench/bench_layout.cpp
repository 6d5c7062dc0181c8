// The layouts of the graph view: the own engine by size and by share of long edges, dot for comparison.
#include <benchmark/benchmark.h>

#include "tests/support/random_graph.h"
#include "ui/canvas/layout/dot_layout.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/canvas/layout/nested_layout.h"

namespace hilo {
namespace {

void layered(benchmark::State& state, double longShare) {
  const LayoutInput input = randomGraph(static_cast<uint32_t>(state.range(0)), longShare, 1);
  for (auto _ : state) benchmark::DoNotOptimize(layoutLayered(input, CancelToken()));
}
BENCHMARK_CAPTURE(layered, local, 0.0)
    ->Arg(300)
    ->Arg(1'000)
    ->Arg(3'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(layered, hlo, 0.04)
    ->Arg(300)
    ->Arg(1'000)
    ->Arg(3'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

void dot(benchmark::State& state) {
  const LayoutInput input = randomGraph(static_cast<uint32_t>(state.range(0)), 0.04, 1);
  for (auto _ : state) {
    const auto result = layoutWithDot(input, CancelToken());
    if (!result) state.SkipWithError(result.error().message.c_str());
  }
}
BENCHMARK(dot)->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

// 40 groups of 75 nodes: opening one when the others are known.
void openOneGroup(benchmark::State& state) {
  NestedInput input;
  input.engine = LayoutEngine::kLayered;
  for (uint32_t g = 0; g < 40; ++g) {
    const auto group = static_cast<uint32_t>(input.nodes.size());
    input.nodes.push_back({kNoNode, 120, 34, true, g % 2 == 0});
    const LayoutInput inner = randomGraph(75, 0.04, g);
    for (const LayoutNode& node : inner.nodes) input.nodes.push_back({group, node.width, node.height});
    for (const LayoutEdge& edge : inner.edges)
      input.edges.push_back({group + 1 + edge.from, group + 1 + edge.to});
    if (g > 0) input.edges.push_back({group - 1, group + 1});
  }
  for (auto _ : state) {
    state.PauseTiming();
    LayoutCache cache;
    input.nodes[76].open = false;
    benchmark::DoNotOptimize(layoutNested(input, cache, CancelToken()));
    input.nodes[76].open = true;
    state.ResumeTiming();
    benchmark::DoNotOptimize(layoutNested(input, cache, CancelToken()));
  }
}
BENCHMARK(openOneGroup)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

BENCHMARK_MAIN();
