// How fast HLO text is read and printed: a bare tokeniser, the lexer, parse and build, print, all over the
// same bytes, so that parsing can be put against the least a reader could do. The texts are the large models
// below the folder that HILO_CORPUS names, the file that HILO_BENCH_FILE names, and a module of 20,000
// instructions made here. With HILO_CORPUS also every model text there, parsed on two threads.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/hlo/text/lexer.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/bench/bare_tokeniser.h"

namespace hilo {
namespace {

using Text = std::shared_ptr<const std::string>;

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

Text readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::make_shared<const std::string>(std::istreambuf_iterator<char>(file),
                                             std::istreambuf_iterator<char>());
}

// Of processor time: what else the machine does then hardly counts.
double secondsSince(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

void countBytes(benchmark::State& state, const Text& text) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text->size()));
}

size_t bareTokens(const std::string& text) {
  size_t tokens = 0;
  BareTokeniser::run(text, [&](const char* at) {
    benchmark::DoNotOptimize(at);
    ++tokens;
  });
  return tokens;
}

size_t lexerTokens(const std::string& text) {
  Lexer lexer(text);
  size_t tokens = 0;
  while (lexer.next().kind != TokenKind::End) ++tokens;
  return tokens;
}

void tokenise(benchmark::State& state, Text text) {
  if (bareTokens(*text) != lexerTokens(*text)) return state.SkipWithError("the tokenisers disagree");
  for (auto _ : state) benchmark::DoNotOptimize(bareTokens(*text));
  countBytes(state, text);
}

void lex(benchmark::State& state, Text text) {
  for (auto _ : state) benchmark::DoNotOptimize(lexerTokens(*text));
  countBytes(state, text);
  state.counters["tokens"] = static_cast<double>(lexerTokens(*text));
}

void parseAndBuild(benchmark::State& state, Text text) {
  size_t instructions = 0;
  for (auto _ : state) {
    const ParseResult result = parseModule(text);
    if (result.module == nullptr) return state.SkipWithError("the text holds no module");
    instructions = result.module->idLimit();
    benchmark::DoNotOptimize(result.module.get());
  }
  countBytes(state, text);
  state.counters["instructions"] = static_cast<double>(instructions);
}

// Parsing against bare tokenising, taken alternately so that a busy machine slows both. The best of each
// counts: what else the machine does only ever adds.
void parsePerTokenise(benchmark::State& state, Text text) {
  double tokenising = 1e9, parsing = 1e9;
  for (auto _ : state) {
    const auto start = std::clock();
    benchmark::DoNotOptimize(bareTokens(*text));
    tokenising = std::min(tokenising, secondsSince(start));
    const auto middle = std::clock();
    const ParseResult result = parseModule(text);
    benchmark::DoNotOptimize(result.module.get());
    parsing = std::min(parsing, secondsSince(middle));
  }
  state.counters["ratio"] = parsing / tokenising;
  state.counters["parse_ms"] = 1e3 * parsing;
  state.counters["tokenise_ms"] = 1e3 * tokenising;
  state.counters["tokenise_GB_per_s"] = 1e-9 * static_cast<double>(text->size()) / tokenising;
}

void print(benchmark::State& state, Text text) {
  const ParseResult result = parseModule(text);
  if (result.module == nullptr) return state.SkipWithError("the text holds no module");
  const PrintOptions options = PrintOptions::asRead(*result.module);
  for (auto _ : state) {
    const std::string printed = printModule(*result.module, options);
    benchmark::DoNotOptimize(printed.data());
  }
  countBytes(state, text);
}

// Every text is read beforehand; each thread takes the next one until none is left.
void parseAllOnTwoThreads(benchmark::State& state, std::vector<std::filesystem::path> files) {
  std::vector<Text> texts;
  size_t bytes = 0;
  for (const auto& file : files) bytes += texts.emplace_back(readFile(file))->size();
  for (auto _ : state) {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = next++; i < texts.size(); i = next++) {
        benchmark::DoNotOptimize(parseModule(texts[i]).module.get());
      }
    };
    std::jthread other(work);
    work();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
  state.counters["files"] = static_cast<double>(texts.size());
}

void registerFor(const std::string& name, const Text& text) {
  const std::pair<const char*, void (*)(benchmark::State&, Text)> kBenchmarks[] = {
      {"tokenise", tokenise},
      {"lex", lex},
      {"parseAndBuild", parseAndBuild},
      {"parsePerTokenise", parsePerTokenise},
      {"print", print}};
  for (const auto& [kind, function] : kBenchmarks) {
    benchmark::RegisterBenchmark((std::string(kind) + "/" + name).c_str(), function, text)
        ->Unit(benchmark::kMillisecond);
  }
}

// The texts over a megabyte.
void registerCorpus(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto& path = entry.path();
    const bool isText = path.extension() == ".txt" || path.extension() == ".hlo";
    if (!entry.is_regular_file() || !isText || path.string().ends_with("-buffer-assignment.txt")) continue;
    if (path.string().find("models_before_opt") != std::string::npos) models.push_back(path);
    if (entry.file_size() > (1 << 20)) registerFor(path.lexically_relative(root).string(), readFile(path));
  }
  benchmark::RegisterBenchmark("parseAllOnTwoThreads", parseAllOnTwoThreads, models)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  hilo::registerFor("made", std::make_shared<const std::string>(hilo::makeModule(20'000)));
  if (const char* path = std::getenv("HILO_BENCH_FILE")) hilo::registerFor("file", hilo::readFile(path));
  if (const char* root = std::getenv("HILO_CORPUS")) hilo::registerCorpus(root);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
