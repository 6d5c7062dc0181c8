// How long partitioning takes: layers of two products, a reduction and elementwise work, about 17,000
// instructions, over a mesh of two axes with 8, 256 and 65,536 devices. Propagation and partitioning by
// themselves, without reading or writing text. Counters: instructions before and after.
#include <benchmark/benchmark.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"
#include "tests/bench/sharded_layers.h"

namespace hilo {
namespace {

void partition(benchmark::State& state) {
  const auto parsed = parseModuleStrictly(shardedLayers(1700, state.range(0), state.range(1)));
  const auto passes = parsePassList("sharding-propagation,spmd-partitioning");
  if (!parsed || !passes) return state.SkipWithError("the module or the list of passes is not read");
  const std::shared_ptr<const Module> module = (*parsed)->clone();
  for (auto _ : state) {
    const PassRun run = runPasses(module, *passes, {});
    if (!run.completed()) return state.SkipWithError("not partitioned");
    state.counters["after"] = static_cast<double>(run.output()->entry()->instructionCount());
  }
  state.counters["before"] = static_cast<double>(module->entry()->instructionCount());
}
BENCHMARK(partition)->Args({4, 2})->Args({16, 16})->Args({256, 256})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
