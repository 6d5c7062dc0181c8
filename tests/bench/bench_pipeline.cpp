// How long XLA's pipeline for GPUs takes over modules of two sizes, the second five times the first: layers
// that all read one weight, layers with weights of their own, and a training step, whose backward half reads
// what the forward half made, from its end to its start. 4,000 and 20,000 instructions, with
// HILO_BENCH_LARGE=1 20,000 and 100,000.
//
// Time is the thread's. Counters: instructions read, and left at the end; us_each, time by instruction read.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/hlo/text/parse.h"
#include "tests/bench/thread_time.h"

namespace hilo {
namespace {

constexpr std::string_view kDot = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
constexpr std::string_view kAll = "f32[128,256]", kRow = "f32[128]", kWeight = "f32[256,256]";

// The entry computation, line by line.
class Lines {
 public:
  void add(const std::string& name, std::string_view shape, std::string_view rest) {
    text_ += fmt::format(" {} = {} {}\n", name, shape, rest);
    ++count_;
  }
  void parameter(const std::string& name, std::string_view shape) {
    add(name, shape, fmt::format("parameter({})", parameters_++));
  }
  // Also given back by the module.
  void give(const std::string& name, std::string_view shape) {
    names_ += (names_.empty() ? "" : ", ") + name;
    shapes_ += (shapes_.empty() ? "" : ", ") + std::string(shape);
  }
  int64_t count() const { return count_; }
  std::string module() const {
    return fmt::format(
        "HloModule bench\nadd {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, "
        "b)\n"
        "}}\nENTRY e {{\n{} ROOT out = ({}) tuple({})\n}}\n",
        text_, shapes_, names_);
  }

 private:
  std::string text_, names_, shapes_;
  int64_t count_ = 0, parameters_ = 0;
};

void addInputs(Lines& lines) {
  lines.parameter("x0", kAll);
  lines.parameter("g", "f32[256]");
  lines.parameter("rate", "f32[]");
  lines.add("zero", "f32[]", "constant(0)");
  lines.add("one", "f32[]", "constant(1)");
  lines.add("ones", kAll, "broadcast(one), dimensions={}");
  lines.add("rates", kWeight, "broadcast(rate), dimensions={}");
}

// x{i} to x{i + 1}, over t{i}.
void addLayer(Lines& lines, int i, const std::string& weight) {
  lines.add(fmt::format("d{}", i), kAll, fmt::format("dot(x{}, {}), {}", i, weight, kDot));
  lines.add(fmt::format("t{}", i), kAll, fmt::format("tanh(d{})", i));
  lines.add(fmt::format("q{}", i), kAll, fmt::format("multiply(t{0}, t{0})", i));
  lines.add(fmt::format("s{}", i), kRow, fmt::format("reduce(q{}, zero), dimensions={{1}}, to_apply=add", i));
  lines.add(fmt::format("r{}", i), kRow, fmt::format("rsqrt(s{})", i));
  lines.add(fmt::format("rb{}", i), kAll, fmt::format("broadcast(r{}), dimensions={{0}}", i));
  lines.add(fmt::format("n{}", i), kAll, fmt::format("multiply(t{0}, rb{0})", i));
  lines.add(fmt::format("gb{}", i), kAll, "broadcast(g), dimensions={1}");
  lines.add(fmt::format("o{}", i), kAll, fmt::format("multiply(n{0}, gb{0})", i));
  lines.add(fmt::format("x{}", i + 1), kAll, fmt::format("add(o{0}, x{0})", i));
}

// y{i + 1} to y{i}, roughly what is handed back through addLayer, and the weight as it is after the step.
void addBackward(Lines& lines, int i) {
  lines.add(fmt::format("a{}", i), kAll, fmt::format("multiply(y{}, gb{})", i + 1, i));
  lines.add(fmt::format("e{}", i), kAll, fmt::format("multiply(a{0}, rb{0})", i));
  lines.add(fmt::format("c{}", i), kAll, fmt::format("subtract(ones, q{})", i));
  lines.add(fmt::format("k{}", i), kAll, fmt::format("multiply(e{0}, c{0})", i));
  lines.add(fmt::format("wt{}", i), kWeight, fmt::format("transpose(w{}), dimensions={{1,0}}", i));
  lines.add(fmt::format("dx{}", i), kAll, fmt::format("dot(k{0}, wt{0}), {1}", i, kDot));
  lines.add(fmt::format("y{}", i), kAll, fmt::format("add(dx{}, y{})", i, i + 1));
  lines.add(fmt::format("xt{}", i), "f32[256,128]", fmt::format("transpose(x{}), dimensions={{1,0}}", i));
  lines.add(fmt::format("dw{}", i), kWeight, fmt::format("dot(xt{0}, k{0}), {1}", i, kDot));
  lines.add(fmt::format("u{}", i), kWeight, fmt::format("multiply(dw{}, rates)", i));
  lines.add(fmt::format("v{}", i), kWeight, fmt::format("subtract(w{0}, u{0})", i));
  lines.give(fmt::format("v{}", i), kWeight);
}

std::string layers(int64_t instructions, bool oneWeight) {
  Lines lines;
  addInputs(lines);
  if (oneWeight) lines.parameter("w", kWeight);
  int last = 0;
  for (; lines.count() < instructions; ++last) {
    if (!oneWeight) lines.parameter(fmt::format("w{}", last), kWeight);
    addLayer(lines, last, oneWeight ? "w" : fmt::format("w{}", last));
  }
  lines.give(fmt::format("x{}", last), kAll);
  return lines.module();
}

std::string trainingStep(int64_t instructions) {
  constexpr int64_t kEach = 22;  // of a layer in both directions
  Lines lines;
  addInputs(lines);
  const auto count = static_cast<int>(instructions / kEach);
  for (int i = 0; i < count; ++i) {
    lines.parameter(fmt::format("w{}", i), kWeight);
    addLayer(lines, i, fmt::format("w{}", i));
  }
  lines.add(fmt::format("y{}", count), kAll, fmt::format("subtract(x{}, ones)", count));
  for (int i = count; i-- > 0;) addBackward(lines, i);
  lines.give("y0", kAll);
  return lines.module();
}

void run(benchmark::State& state, const std::string& text) {
  const Pipeline* pipeline = findPipeline("gpu");
  CHECK(pipeline != nullptr);
  const std::shared_ptr<const Module> module = std::move(*parseModuleStrictly(text));
  PassRunOptions options;
  options.verify = false;
  options.fixpoints = pipeline->fixpoints;
  for (auto _ : state) {
    const double start = threadCpuMs();
    const PassRun done = runPasses(module, pipeline->passes, options);
    const double ms = threadCpuMs() - start;
    CHECK(done.completed());
    state.SetIterationTime(1e-3 * ms);
    state.counters["left"] = static_cast<double>(done.output()->instructionCount());
    state.counters["us_each"] = 1e3 * ms / static_cast<double>(module->instructionCount());
  }
  state.counters["instructions"] = static_cast<double>(module->instructionCount());
}

void add(const char* name, int64_t size, std::string (*text)(int64_t)) {
  benchmark::RegisterBenchmark(fmt::format("{}/{}", name, size).c_str(),
                               [=](benchmark::State& state) { run(state, text(size)); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->UseManualTime();
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const int64_t least = std::getenv("HILO_BENCH_LARGE") != nullptr ? 20'000 : 4'000;
  for (const int64_t size : {least, 5 * least}) {
    hilo::add("oneWeight", size, [](int64_t n) { return hilo::layers(n, true); });
    hilo::add("ownWeights", size, [](int64_t n) { return hilo::layers(n, false); });
    hilo::add("trainingStep", size, hilo::trainingStep);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
