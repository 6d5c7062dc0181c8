// Queries over modules of 20,000 and 200,000 instructions: the time from a parsed expression to all matches.
// Costs are known before, as in the studio, except where the name of the case says so.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/analysis/query/query.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Layers of a dot, its operand, an all-reduce now and then, elementwise instructions with op_names and
// sources, in a loop's body.
std::string moduleText(int64_t instructions) {
  std::string text =
      "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
      "ENTRY %main (p: f32[128,256], w: f32[256,256]) -> f32[128,256] {\n"
      "  %p = f32[128,256]{1,0} parameter(0)\n  %w = f32[256,256]{1,0} parameter(1)\n";
  std::string last = "p";
  for (int64_t n = 0; n < instructions; ++n) {
    const auto metadata = fmt::format(
        "metadata={{op_name=\"jit(step)/layer_{}/attention/op_{}\" source_file=\"model.py\" source_line={}}}",
        n / 100, n % 17, n % 900);
    std::string what = fmt::format("f32[128,256]{{1,0}} multiply(%{}, %p)", last);
    if (n % 20 == 0) {
      what = fmt::format(
          "f32[128,256]{{1,0}} dot(%{}, %w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", last);
    } else if (n % 50 == 7) {
      what = fmt::format("f32[128,256]{{1,0}} all-reduce(%{}), replica_groups={{}}, to_apply=%add", last);
    }
    const std::string name = fmt::format("op.{}", n);
    text += fmt::format("  {}%{} = {}, {}\n", n + 1 == instructions ? "ROOT " : "", name, what, metadata);
    last = name;
  }
  return text + "}\n";
}

const Module& moduleOf(int64_t instructions) {
  static std::map<int64_t, std::unique_ptr<Module>> modules;
  auto& module = modules[instructions];
  if (module == nullptr) module = parseModule(moduleText(instructions)).module;
  return *module;
}

void query(benchmark::State& state, const std::string& expression, bool costKnown) {
  const Module& module = moduleOf(state.range(0));
  const ModuleCost cost(module);
  const Query parsed = *parseQuery(expression);
  size_t found = 0;
  for (auto _ : state) found = QueryMatcher(parsed, module, costKnown ? &cost : nullptr).all().size();
  state.counters["found"] = static_cast<double>(found);
}

void measure(const char* name, const std::string& expression, bool costKnown = true) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { query(state, expression, costKnown); })
      ->Arg(20'000)
      ->Arg(200'000)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  using hilo::measure;
  measure("word", "attention");
  measure("opcode", "opcode:dot");
  measure("wild", "opcode:all-*");
  measure("regex", "op_name:~layer_1[0-9]+/attention");
  measure("the guide's", "opcode:dot bytes>100kB op_name:~attention");
  measure("in", "in:main not opcode:multiply");
  measure("user", "user:all-reduce");
  measure("user query", "user:(opcode:all-reduce type:f32)");
  measure("path", "path:op.100->op.150000");
  measure("path queries", "path:(opcode:dot)->(opcode:all-reduce)");
  measure("source", "source:\"model.py:120\"");
  measure("flops", "flops>1e6");
  measure("flops, costs not known", "flops>1e6", false);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
