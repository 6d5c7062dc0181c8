// How long verifying takes beside parsing, over one module: the file that HILO_BENCH_FILE names, or else a
// module of 40,000 instructions made here. Verifying reads every instruction once and should take no longer
// than reading its text.

#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// Layers of dot, broadcast, elementwise, transpose, slice and reduce with the layouts a compiler prints.
std::string makeModule(int layers) {
  std::string text =
      "HloModule made\n\n%sum {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %s = f32[] "
      "add(%x, %y)\n}\n\n"
      "ENTRY %main {\n  %v.0 = f32[64,128]{1,0} parameter(0)\n  %w = f32[128,128]{1,0} parameter(1)\n"
      "  %zero = f32[] constant(0)\n";
  for (int i = 0; i < layers; ++i) {
    text += fmt::format(
        "  %d.{0} = f32[64,128]{{1,0}} dot(%v.{0}, %w), lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{0}}\n"
        "  %r.{0} = f32[64]{{0}} reduce(%d.{0}, %zero), dimensions={{1}}, to_apply=%sum\n"
        "  %b.{0} = f32[64,128]{{1,0}} broadcast(%r.{0}), dimensions={{0}}\n"
        "  %t.{0} = f32[128,64]{{1,0}} transpose(%d.{0}), dimensions={{1,0}}\n"
        "  %e.{0} = f32[64,128]{{1,0}} reshape(%t.{0})\n"
        "  %m.{0} = f32[64,128]{{1,0}} multiply(%e.{0}, %b.{0})\n"
        "  %c.{0} = pred[64,128]{{1,0}} compare(%m.{0}, %d.{0}), direction=GT\n"
        "  %v.{1} = f32[64,128]{{1,0}} select(%c.{0}, %m.{0}, %d.{0})\n",
        i, i + 1);
  }
  return text + fmt::format("  ROOT %last = f32[64,128]{{1,0}} copy(%v.{})\n}}\n", layers);
}

const std::shared_ptr<const std::string>& benchText() {
  static const auto text = [] {
    if (const char* path = std::getenv("HILO_BENCH_FILE")) {
      std::ifstream file(path, std::ios::binary);
      return std::make_shared<const std::string>(std::istreambuf_iterator<char>(file),
                                                 std::istreambuf_iterator<char>());
    }
    return std::make_shared<const std::string>(makeModule(5'000));
  }();
  return text;
}

void countInstructions(benchmark::State& state, const Module& module) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * module.instructionCount()));
}

void parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parseModule(benchText(), {.inferShape = inferShape}));
  countInstructions(state, *parseModule(benchText(), {.inferShape = inferShape}).module);
}

void verifyAll(benchmark::State& state) {
  const auto parsed = parseModule(benchText(), {.inferShape = inferShape});
  if (hasErrors(verify(*parsed.module))) state.SkipWithError("the module is not valid");
  for (auto _ : state) benchmark::DoNotOptimize(verify(*parsed.module));
  countInstructions(state, *parsed.module);
}

BENCHMARK(parse)->Unit(benchmark::kMillisecond);
BENCHMARK(verifyAll)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
