// Latency-hiding scheduling of training steps in which every layer's all-reduce waits for the end: the number
// of ready nodes grows with the module.
#include <benchmark/benchmark.h>

#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// `layers` layers of nine instructions.
std::string trainingStep(int64_t layers) {
  std::string text =
      "HloModule step, is_scheduled=true\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
      "  ROOT z = f32[] add(x, y)\n}\nENTRY e {\n  v0 = f32[64,64] parameter(0)\n";
  std::string results, shapes;
  for (int64_t n = 0; n < layers; ++n) {
    text += fmt::format(
        "  a{0} = f32[64,64] dot(v{0}, v{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  b{0} = f32[64,64] tanh(a{0})\n  c{0} = f32[64,64] add(b{0}, v{0})\n"
        "  d{0} = f32[64,64] multiply(c{0}, b{0})\n  g{0} = f32[64,64] negate(d{0})\n"
        "  s{0} = f32[64,64] all-reduce-start(g{0}), replica_groups={{{{0,1}}}}, to_apply=add\n"
        "  r{0} = f32[64,64] all-reduce-done(s{0})\n  u{0} = f32[64,64] multiply(r{0}, v0)\n"
        "  v{1} = f32[64,64] exponential(c{0})\n",
        n, n + 1);
    results += fmt::format("u{}, ", n);
    shapes += "f32[64,64], ";
  }
  return fmt::format("{}  ROOT t = ({}f32[64,64]) tuple({}v{})\n}}\n", text, shapes, results, layers);
}

void BM_HideLatency(benchmark::State& state) {
  const auto module = parseModuleStrictly(trainingStep(state.range(0) / 9));
  if (!module) {
    state.SkipWithError(toString(module.error()).c_str());
    return;
  }
  LatencyHidingRequest request{.config = gpuSchedulerConfig()};
  for ([[maybe_unused]] const auto _ : state) {
    const auto copy = (*module)->clone();
    benchmark::DoNotOptimize(scheduleToHideLatency(*copy, request));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * (*module)->instructionCount()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_HideLatency)
    ->RangeMultiplier(2)
    ->Range(5000, 80000)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
