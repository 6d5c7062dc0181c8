// How fast HLO text is read and printed: the bare tokeniser, parse and build, print, all over the same bytes,
// so that parsing can be put against tokenising. The text is the file that HILO_BENCH_FILE names, or else a
// module of 20,000 instructions made here.

#include <benchmark/benchmark.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "core/hlo/text/lexer.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// A chain of elementwise operations, dots and broadcasts with metadata, as a training step has.
std::string makeModule(int instructions) {
  std::string text =
      "HloModule made\n\nENTRY %main (p0: f32[64,128], p1: f32[128,128]) -> f32[64,128] {\n"
      "  %p0 = f32[64,128]{1,0} parameter(0)\n  %p1 = f32[128,128]{1,0} parameter(1)\n";
  std::string last = "p0";
  for (int i = 0; i < instructions; ++i) {
    const auto metadata = fmt::format(
        ", metadata={{op_name=\"jit(train_step)/transformer/layer_{}/mlp/dot_general\" stack_frame_id={}}}\n",
        i / 40, i % 500 + 1);
    if (i % 4 == 0) {
      text += fmt::format(
          "  %dot.{} = f32[64,128]{{1,0}} dot(%{}, %p1), lhs_contracting_dims={{1}}, "
          "rhs_contracting_dims={{0}}{}",
          i, last, metadata);
      last = fmt::format("dot.{}", i);
    } else {
      text += fmt::format("  %multiply.{} = f32[64,128]{{1,0}} multiply(%{}, %p0){}", i, last, metadata);
      last = fmt::format("multiply.{}", i);
    }
  }
  text += fmt::format("  ROOT %copy = f32[64,128]{{1,0}} copy(%{})\n}}\n\n", last);
  return text;
}

const std::shared_ptr<const std::string>& benchText() {
  static const auto text = [] {
    if (const char* path = std::getenv("HILO_BENCH_FILE")) {
      std::ifstream file(path, std::ios::binary);
      return std::make_shared<const std::string>(std::istreambuf_iterator<char>(file),
                                                 std::istreambuf_iterator<char>());
    }
    return std::make_shared<const std::string>(makeModule(20'000));
  }();
  return text;
}

void countBytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * benchText()->size()));
}

void tokenise(benchmark::State& state) {
  size_t tokens = 0;
  for (auto _ : state) {
    Lexer lexer(*benchText());
    tokens = 0;
    while (lexer.next().kind != TokenKind::End) ++tokens;
    benchmark::DoNotOptimize(tokens);
  }
  countBytes(state);
  state.counters["tokens"] = static_cast<double>(tokens);
}
BENCHMARK(tokenise)->Unit(benchmark::kMillisecond);

void parseAndBuild(benchmark::State& state) {
  size_t instructions = 0;
  for (auto _ : state) {
    const ParseResult result = parseModule(benchText());
    if (result.module == nullptr) return state.SkipWithError("the text holds no module");
    instructions = result.module->idLimit();
    benchmark::DoNotOptimize(result.module.get());
  }
  countBytes(state);
  state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK(parseAndBuild)->Unit(benchmark::kMillisecond);

// The ratio of the two above, taken alternately so that a busy machine slows both.
void parsePerTokenise(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  double tokenising = 0, parsing = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    Lexer lexer(*benchText());
    size_t tokens = 0;
    while (lexer.next().kind != TokenKind::End) ++tokens;
    benchmark::DoNotOptimize(tokens);
    const auto middle = Clock::now();
    const ParseResult result = parseModule(benchText());
    benchmark::DoNotOptimize(result.module.get());
    const auto end = Clock::now();
    tokenising += std::chrono::duration<double>(middle - start).count();
    parsing += std::chrono::duration<double>(end - middle).count();
  }
  state.counters["ratio"] = parsing / tokenising;
}
BENCHMARK(parsePerTokenise)->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  const ParseResult result = parseModule(benchText());
  if (result.module == nullptr) return state.SkipWithError("the text holds no module");
  const PrintOptions options = PrintOptions::asRead(*result.module);
  for (auto _ : state) {
    const std::string text = printModule(*result.module, options);
    benchmark::DoNotOptimize(text.data());
  }
  countBytes(state);
}
BENCHMARK(print)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
