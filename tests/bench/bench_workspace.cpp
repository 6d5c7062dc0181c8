// How long what a person waits for takes on a module of 40,000 instructions: a query typed into the search
// box, the cost counts behind it, a step of a pass series compared, and two texts of 20,000 lines aligned.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/analysis/diff/diff_patterns.h"
#include "core/analysis/diff/line_diff.h"
#include "core/analysis/diff/module_diff.h"
#include "core/analysis/query/query.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// A chain of 40,000 operations with op_names as a framework writes them. `names` tells two modules' names
// apart; `extra` instructions at the start shift all numbers; every `wider`th instruction is of another
// type (0: none).
std::unique_ptr<Module> makeModule(std::string_view names, int extra = 0, int wider = 0) {
  std::string text = fmt::format("HloModule made\nENTRY main {{\n  {0}0 = f32[64,128] parameter(0)\n", names);
  for (int i = 1; i <= extra; ++i)
    text += fmt::format("  {0}{1} = f32[64,128] negate({0}{2})\n", names, i, i - 1);
  for (int n = 1; n < 40'000; ++n) {
    const int i = n + extra;
    text += fmt::format(
        "  {3}{0}{1} = {9}[64,128] {2}({0}{4}, {0}{5}), "
        "metadata={{op_name=\"jit(train_step)/jvp(transformer)/layers/layer_{6}/"
        "{7}/dot_general\" source_file=\"model.py\" source_line={8}}}\n",
        names, i, n % 3 == 0 ? "add" : "multiply", n == 39'999 ? "ROOT " : "", i - 1, n / 2 + extra, n / 500,
        n % 7 == 0 ? "attention" : "mlp", n % 300 + 1, wider != 0 && n % wider == 0 ? "f64" : "f32");
  }
  auto module = parseModuleStrictly(text + "}\n");
  if (!module) std::abort();
  return std::move(*module);
}

const Module& sharedModule() {
  static const auto& module = *makeModule("v.").release();
  return module;
}

void query(benchmark::State& state, const char* text) {
  const Module& module = sharedModule();
  const ModuleCost cost(module);
  size_t found = 0;
  for (auto _ : state) {
    found = QueryMatcher(*parseQuery(text), module, &cost).all().size();
    benchmark::DoNotOptimize(found);
  }
  state.counters["matches"] = static_cast<double>(found);
}
BENCHMARK_CAPTURE(query, word, "attention")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, literalRegex, "op_name:~attention")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, regex, "op_name:~layer_[0-9]*7/(mlp|moe)/dot")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, numbers, "opcode:add bytes>1KB flops>1K users>=1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, relation, "operand:(opcode:add op_name:~attention)")->Unit(benchmark::kMillisecond);

void cost(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ModuleCost(sharedModule()).total().flops);
}
BENCHMARK(cost)->Unit(benchmark::kMillisecond);

void diffSameNames(benchmark::State& state) {
  const auto other = makeModule("v.");
  for (auto _ : state) benchmark::DoNotOptimize(diffModules(sharedModule(), *other).changed);
}
BENCHMARK(diffSameNames)->Unit(benchmark::kMillisecond);

void diffRenamed(benchmark::State& state) {
  const auto other = makeModule("w.");
  for (auto _ : state) benchmark::DoNotOptimize(diffModules(sharedModule(), *other).changed);
}
BENCHMARK(diffRenamed)->Unit(benchmark::kMillisecond);

// One instruction more at the start: no number agrees.
void diffShifted(benchmark::State& state) {
  const auto other = makeModule("v.", 1);
  size_t changes = 0;
  for (auto _ : state) benchmark::DoNotOptimize(changes = diffModules(sharedModule(), *other).changes.size());
  state.counters["changes"] = static_cast<double>(changes);
}
BENCHMARK(diffShifted)->Unit(benchmark::kMillisecond);

// Every second instruction changed: what is alike among them, and what occurs over and over.
void groupAlike(benchmark::State& state) {
  const auto other = makeModule("v.", 0, 2);
  const StepDiff diff = diffModules(sharedModule(), *other);
  size_t groups = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(groups = groupChanges(sharedModule(), *other, diff).size());
    benchmark::DoNotOptimize(findDiffPatterns(sharedModule(), *other, diff).size());
  }
  state.counters["changes"] = static_cast<double>(diff.changes.size());
  state.counters["groups"] = static_cast<double>(groups);
}
BENCHMARK(groupAlike)->Unit(benchmark::kMillisecond);

// Every `period`th of 20,000 lines changed; lines are taken from `distinct` different ones.
void alignText(benchmark::State& state) {
  const int64_t distinct = state.range(0), period = state.range(1);
  std::vector<std::string> lines;
  for (int64_t i = 0; i < 20'000; ++i) lines.push_back(fmt::format("line {}", i * 7919 % distinct));
  std::vector<std::string_view> left(lines.begin(), lines.end()), right = left;
  for (size_t i = 0; i < right.size(); i += period) right[i] = "changed";
  for (auto _ : state) benchmark::DoNotOptimize(diffLines(left, right).rows.size());
}
BENCHMARK(alignText)
    ->Args({20'000, 10})
    ->Args({100, 10})
    ->Args({100, 2})
    ->Args({2, 3})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
