// How dataflow, copy insertion and buffer assignment grow with the module: 5,000 to 80,000 instructions of a
// training step's form, whose forward values stay live until the backward pass has used them.

#include <benchmark/benchmark.h>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/compiler/buffers/buffer_assigner.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

// Five instructions a layer forwards, five backwards; every sixteenth layer keeps a value for the way back.
std::unique_ptr<Module> makeStep(int64_t instructions) {
  const int64_t layers = instructions / 10;
  std::string text =
      "HloModule step, is_scheduled=true\nENTRY e {\n  v0 = f32[64,128]{1,0} parameter(0)\n"
      "  w = f32[128,128]{1,0} parameter(1)\n";
  for (int64_t i = 0; i < layers; ++i) {
    text += fmt::format(
        "  d{0} = f32[64,128]{{1,0}} dot(v{0}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  t{0} = f32[128,64]{{1,0}} transpose(d{0}), dimensions={{1,0}}\n"
        "  r{0} = f32[64,128]{{1,0}} reshape(t{0})\n  m{0} = f32[64,128]{{1,0}} multiply(r{0}, d{0})\n"
        "  v{1} = f32[64,128]{{1,0}} tanh(m{0})\n",
        i, i + 1);
  }
  text += fmt::format("  g{0} = f32[64,128]{{1,0}} negate(v{0})\n", layers);
  for (int64_t i = layers; i > 0; --i) {
    text += fmt::format(
        "  a{0} = f32[64,128]{{1,0}} dot(g{0}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  b{0} = f32[64,128]{{1,0}} multiply(a{0}, v{2})\n  x{0} = f32[128,64]{{1,0}} transpose(b{0}), "
        "dimensions={{1,0}}\n  y{0} = f32[64,128]{{1,0}} reshape(x{0})\n  g{1} = f32[64,128]{{1,0}} "
        "add(y{0}, a{0})\n",
        i, i - 1, (i - 1) / 16 * 16);
  }
  auto module =
      parseModule(std::make_shared<const std::string>(text + "  ROOT o = f32[64,128]{1,0} copy(g0)\n}\n"),
                  {.inferShape = inferShape});
  return std::move(module.module);
}

void dataflow(benchmark::State& state) {
  const auto module = makeStep(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(DataflowAnalysis::run(*module, {.ssaForm = true}));
}

void copies(benchmark::State& state) {
  const auto module = makeStep(state.range(0));
  for (auto _ : state) {
    const auto clone = module->clone();
    PassContext context;
    benchmark::DoNotOptimize(insertCopies(*clone, context));
  }
}

void assignment(benchmark::State& state) {
  const auto module = makeStep(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(assignBuffers(*module));
}

BENCHMARK(dataflow)->RangeMultiplier(4)->Range(5'000, 80'000)->Unit(benchmark::kMillisecond);
BENCHMARK(copies)->RangeMultiplier(4)->Range(5'000, 80'000)->Unit(benchmark::kMillisecond);
BENCHMARK(assignment)->RangeMultiplier(4)->Range(5'000, 80'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
