// How long the cpu engine takes to compile: without a cache, and again from the cache on disk. Modules of
// about 1,000, 5,000 and 20,000 instructions: layers of a transformer that are all alike, layers of different
// widths, and kernels of which no two are alike. HILO_BENCH_FILE=FILE[:FILE...] adds modules from files.
//
// Counters are seconds of the wall clock unless they say otherwise: passes, lower, kernels (LLVM), load
// (object code made callable); cpu_s is of all threads; kernels and distinct are counts; us_each is cold time
// by instruction of the input; again_s is the second time. One iteration each: modules are large.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/hlo/text/parse.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/run/compile_program.h"

namespace hilo {
namespace {

constexpr std::string_view kApplied =
    "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
    "max {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] maximum(a, b)\n}\n";

// What stands in the entry computation, line by line.
class Writer {
 public:
  std::string add(std::string_view shape, std::string_view rest) {
    text_ += fmt::format(" v{} = {} {}\n", ++last_, shape, rest);
    return fmt::format("v{}", last_);
  }
  std::string parameter(std::string_view shape) {
    return add(shape, fmt::format("parameter({})", parameters_++));
  }
  // Also given back by the module.
  void give(std::string_view shape, const std::string& value) {
    shapes_ += (shapes_.empty() ? "" : ", ") + std::string(shape);
    values_ += (values_.empty() ? "" : ", ") + value;
  }
  int64_t size() const { return last_; }
  std::string module() const {
    return fmt::format("HloModule bench\n{}ENTRY e {{\n{} ROOT results = ({}) tuple({})\n}}\n", kApplied,
                       text_, shapes_, values_);
  }

 private:
  std::string text_, shapes_, values_;
  int64_t last_ = 0, parameters_ = 0;
};

std::string normalised(Writer& w, const std::string& x, int rows, int columns) {
  const std::string all = fmt::format("f32[{},{}]", rows, columns), row = fmt::format("f32[{}]", rows);
  const std::string line = fmt::format("f32[{}]", columns);
  const auto zero = w.add("f32[]", "constant(0)");
  const auto part = w.add("f32[]", fmt::format("constant({})", 1.0 / columns));
  const auto parts = w.add(row, fmt::format("broadcast({}), dimensions={{}}", part));
  const auto sum = w.add(row, fmt::format("reduce({}, {}), dimensions={{1}}, to_apply=add", x, zero));
  const auto mean = w.add(row, fmt::format("multiply({}, {})", sum, parts));
  const auto means = w.add(all, fmt::format("broadcast({}), dimensions={{0}}", mean));
  const auto centred = w.add(all, fmt::format("subtract({}, {})", x, means));
  const auto squares = w.add(all, fmt::format("multiply({}, {})", centred, centred));
  const auto square =
      w.add(row, fmt::format("reduce({}, {}), dimensions={{1}}, to_apply=add", squares, zero));
  const auto variance = w.add(row, fmt::format("multiply({}, {})", square, parts));
  const auto inverse = w.add(row, fmt::format("rsqrt({})", variance));
  const auto inverses = w.add(all, fmt::format("broadcast({}), dimensions={{0}}", inverse));
  const auto normal = w.add(all, fmt::format("multiply({}, {})", centred, inverses));
  const auto scales = w.add(all, fmt::format("broadcast({}), dimensions={{1}}", w.parameter(line)));
  return w.add(all, fmt::format("multiply({}, {})", normal, scales));
}

std::string product(Writer& w, const std::string& x, int rows, int from, int to) {
  const auto weight = w.parameter(fmt::format("f32[{},{}]", from, to));
  return w.add(fmt::format("f32[{},{}]", rows, to),
               fmt::format("dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", x, weight));
}

std::string softmax(Writer& w, const std::string& x, const std::string& all, const std::string& row) {
  const auto low = w.add("f32[]", "constant(-inf)"), zero = w.add("f32[]", "constant(0)");
  const auto top = w.add(row, fmt::format("reduce({}, {}), dimensions={{2}}, to_apply=max", x, low));
  const auto tops = w.add(all, fmt::format("broadcast({}), dimensions={{0,1}}", top));
  const auto power =
      w.add(all, fmt::format("exponential({})", w.add(all, fmt::format("subtract({}, {})", x, tops))));
  const auto sum = w.add(row, fmt::format("reduce({}, {}), dimensions={{2}}, to_apply=add", power, zero));
  const auto sums = w.add(all, fmt::format("broadcast({}), dimensions={{0,1}}", sum));
  return w.add(all, fmt::format("divide({}, {})", power, sums));
}

// Of `rows` positions and `heads` heads of `width` numbers.
std::string layer(Writer& w, const std::string& x, int rows, int heads, int width) {
  const int columns = heads * width;
  const std::string all = fmt::format("f32[{},{}]", rows, columns);
  const auto normal = normalised(w, x, rows, columns);
  const auto headed = [&](const std::string& value) {
    const auto split =
        w.add(fmt::format("f32[{},{},{}]", rows, heads, width), fmt::format("reshape({})", value));
    return w.add(fmt::format("f32[{},{},{}]", heads, rows, width),
                 fmt::format("transpose({}), dimensions={{1,0,2}}", split));
  };
  const auto q = headed(product(w, normal, rows, columns, columns));
  const auto k = headed(product(w, normal, rows, columns, columns));
  const auto v = headed(product(w, normal, rows, columns, columns));
  const std::string square = fmt::format("f32[{},{},{}]", heads, rows, rows);
  const auto scores = w.add(square, fmt::format("dot({}, {}), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
                                                "lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}",
                                                q, k));
  const auto weights = softmax(w, scores, square, fmt::format("f32[{},{}]", heads, rows));
  const auto mixed = w.add(fmt::format("f32[{},{},{}]", heads, rows, width),
                           fmt::format("dot({}, {}), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
                                       "lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}",
                                       weights, v));
  const auto turned = w.add(fmt::format("f32[{},{},{}]", rows, heads, width),
                            fmt::format("transpose({}), dimensions={{1,0,2}}", mixed));
  const auto joined = w.add(all, fmt::format("reshape({})", turned));
  const auto after = w.add(all, fmt::format("add({}, {})", x, product(w, joined, rows, columns, columns)));
  const auto wide = product(w, normalised(w, after, rows, columns), rows, columns, 4 * columns);
  const std::string hidden = fmt::format("f32[{},{}]", rows, 4 * columns);
  const auto one =
      w.add(hidden, fmt::format("broadcast({}), dimensions={{}}", w.add("f32[]", "constant(1)")));
  const auto bent =
      w.add(hidden, fmt::format("multiply({}, {})", wide,
                                w.add(hidden, fmt::format("add({}, {})", one,
                                                          w.add(hidden, fmt::format("tanh({})", wide))))));
  return w.add(all, fmt::format("add({}, {})", after, product(w, bent, rows, 4 * columns, columns)));
}

std::string layers(int64_t instructions, bool alike) {
  Writer w;
  std::string x;
  for (int i = 0; w.size() < instructions; ++i) {
    // A stage of its own for each width, as an encoder of many sizes has.
    const int rows = alike ? 64 : 16 + i;
    if (!alike || i == 0) x = w.parameter(fmt::format("f32[{},256]", rows));
    x = layer(w, x, rows, 4, 64);
    if (!alike || w.size() >= instructions) w.give(fmt::format("f32[{},256]", rows), x);
  }
  return w.module();
}

// Kernels of a few operations, no two alike, with sums between.
std::string distinct(int64_t instructions) {
  constexpr std::string_view kUnary[] = {"negate", "abs",   "tanh", "exponential",
                                         "sqrt",   "floor", "sign", "logistic"};
  constexpr std::string_view kBinary[] = {"add", "subtract", "multiply", "maximum", "minimum", "divide"};
  Writer w;
  uint64_t random = 88172645463325252;
  const auto draw = [&](size_t count) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return static_cast<size_t>(random % count);
  };
  const auto zero = w.add("f32[]", "constant(0)");
  for (int i = 0; w.size() < instructions; ++i) {
    const std::string all = fmt::format("f32[{},{}]", 8 + i % 50, 64 + i);
    auto x = w.parameter(all);
    for (int step = 0; step < 4; ++step) {
      const auto y = w.add(all, fmt::format("{}({})", kUnary[draw(8)], x));
      x = w.add(all, fmt::format("{}({}, {})", kBinary[draw(6)], x, y));
    }
    const std::string line = fmt::format("f32[{}]", 64 + i);
    w.give(line, w.add(line, fmt::format("reduce({}, {}), dimensions={{0}}, to_apply=add", x, zero)));
  }
  return w.module();
}

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Compiled {
  CompiledModule module;
  double seconds = 0, loadSeconds = 0, cpuSeconds = 0;
};

Compiled compiled(const std::shared_ptr<const Module>& module) {
  Compiled made;
  const double cpu = cpuSeconds(), start = secondsNow();
  auto result = compileProgram(module, {}, {});
  CHECK(result.has_value(), toString(result.error()));
  made.module = std::move(*result);
  const double loading = secondsNow();
  const auto executor = Executor::make(std::make_shared<const Program>(made.module.program));
  CHECK(executor.has_value(), toString(executor.error()));
  made.loadSeconds = secondsNow() - loading;
  made.seconds = secondsNow() - start;
  made.cpuSeconds = cpuSeconds() - cpu;
  return made;
}

void compile(benchmark::State& state, const std::string& text) {
  ParseResult parsed = parseModule(text);
  CHECK(parsed.module != nullptr && !hasErrors(parsed.diagnostics));
  const std::shared_ptr<const Module> module = std::move(parsed.module);
  const size_t instructions = module->instructionCount();
  const std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("hilo-bench-compile-{}", getpid());
  setenv("HILO_KERNEL_CACHE", folder.c_str(), 1);
  for (auto _ : state) {
    std::filesystem::remove_all(folder);
    const Compiled cold = compiled(module), again = compiled(module);
    const CompileTimes& times = cold.module.times;
    state.SetIterationTime(cold.seconds);
    state.counters["passes"] = 1e-9 * static_cast<double>(times.passesNs);
    state.counters["lower"] = 1e-9 * static_cast<double>(times.loweringNs);
    state.counters["llvm"] = 1e-9 * static_cast<double>(times.kernelsNs);
    state.counters["load"] = cold.loadSeconds;
    state.counters["cpu_s"] = cold.cpuSeconds;
    state.counters["us_each"] = 1e6 * cold.seconds / static_cast<double>(instructions);
    state.counters["instructions"] = static_cast<double>(instructions);
    state.counters["kernels"] = static_cast<double>(cold.module.counts.kernels);
    state.counters["distinct"] = static_cast<double>(cold.module.counts.distinct);
    state.counters["again_s"] = again.seconds;
    state.counters["again_cpu_s"] = again.cpuSeconds;
  }
  std::filesystem::remove_all(folder);
}

void addBenchmark(const std::string& name, const std::function<std::string()>& text) {
  benchmark::RegisterBenchmark(name.c_str(), [text](benchmark::State& state) { compile(state, text()); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->UseManualTime();
}

void addFiles(const char* list) {
  std::stringstream names(list);
  for (std::string path; std::getline(names, path, ':');) {
    addBenchmark(std::filesystem::path(path).filename(), [path] {
      std::ifstream in(path);
      CHECK(in.good(), path);
      return std::string((std::istreambuf_iterator<char>(in)), {});
    });
  }
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  for (const int64_t size : {1'000, 5'000, 20'000}) {
    hilo::addBenchmark(fmt::format("alike/{}", size), [=] { return hilo::layers(size, true); });
    hilo::addBenchmark(fmt::format("widths/{}", size), [=] { return hilo::layers(size, false); });
    if (size < 20'000) {
      hilo::addBenchmark(fmt::format("distinct/{}", size), [=] { return hilo::distinct(size); });
    }
  }
  if (const char* files = std::getenv("HILO_BENCH_FILE")) hilo::addFiles(files);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
