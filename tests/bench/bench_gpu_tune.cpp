// Tuning for a GPU at size: dots, reductions and transposes of many sizes (tunes), and fusions by many tiles
// (tunesFusions), some with kernels that compute something else (planted). Counters: `groups` and `variants`
// tried, `planted` and of these `caught`, `ran` that were held to the reference, and seconds of a first run
// and of a second from what is kept.
//
//   HILO_BENCH_LARGE=1 bench_gpu_tune --benchmark_filter=tunesFusions/200
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <set>

#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/store/store.h"
#include "core/workspace/tune/gpu_tune.h"

namespace hilo {
namespace {

// Each of another shape, so that none is found for another.
std::string moduleText(int64_t count) {
  std::string text =
      "HloModule many\nadd { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y) "
      "}\nENTRY e {\n";
  std::string results, shapes;
  int64_t parameter = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t m = 16 + 8 * (i % 7), n = 16 + 8 * (i / 7 % 7), k = 16 * (1 + i / 49);
    const char* type = i % 2 == 0 ? "bf16" : "f32";
    std::string result = fmt::format("f32[{},{}]{{1,0}}", m, n);
    if (i % 4 < 2) {
      text += fmt::format(
          "a{0} = {1}[{2},{4}]{{1,0}} parameter({5})\nb{0} = {1}[{4},{3}]{{1,0}} parameter({6})\n"
          "r{0} = f32[{2},{3}]{{1,0}} dot(a{0}, b{0}), lhs_contracting_dims={{1}}, "
          "rhs_contracting_dims={{0}}\n",
          i, type, m, n, k, parameter, parameter + 1);
      parameter += 2;
    } else if (i % 4 == 2) {
      result = fmt::format("f32[{}]{{0}}", m);
      text += fmt::format(
          "a{0} = f32[{1},{2},{3}]{{2,1,0}} parameter({4})\nz{0} = f32[] constant(0)\n"
          "r{0} = f32[{1}]{{0}} reduce(a{0}, z{0}), dimensions={{1,2}}, to_apply=add\n",
          i, m, n, k, parameter++);
    } else {
      result = fmt::format("f32[{},{},{}]{{2,1,0}}", k, n, m);
      text += fmt::format(
          "a{0} = f32[{1},{2},{3}]{{2,1,0}} parameter({4})\n"
          "r{0} = f32[{3},{2},{1}]{{2,1,0}} transpose(a{0}), dimensions={{2,1,0}}\n",
          i, m, n, k, parameter++);
    }
    results += fmt::format("{}r{}", i == 0 ? "" : ", ", i);
    shapes += (i == 0 ? "" : ", ") + result;
  }
  return text + "ROOT t = (" + shapes + ") tuple(" + results + ")\n}\n";
}

// Fusions of three dimensions, or of a dot, of many legal tilings.
std::string fusionText(int64_t i) {
  const int64_t n = i / 4, a = 4 + 2 * (n % 3), b = 8 + 2 * (n / 3 % 4), c = 16 + 4 * (n / 12 % 5);
  const std::string all = fmt::format("f32[{},{},{}]", a, b, c),
                    turned = fmt::format("f32[{},{},{}]", c, a, b);
  switch (i % 4) {
    case 0:
      return fmt::format("p = {0} parameter(0)\n e = {0} exponential(p)\n ROOT r = {0} multiply(e, p)", all);
    case 1:
      return fmt::format(
          "p = {0} parameter(0)\n t = {1} transpose(p), dimensions={{2,0,1}}\n ROOT r = {1} negate(t)", all,
          turned);
    case 2:
      return fmt::format(
          "p = {0} parameter(0)\n z = f32[] constant(0)\n "
          "s = f32[{1},{2}] reduce(p, z), dimensions={{2}}, to_apply=add\n "
          "w = {0} broadcast(s), dimensions={{0,1}}\n ROOT r = {0} subtract(p, w)",
          all, a, b);
    default:
      return fmt::format(
          "p = f32[{0},{1}] parameter(0)\n t = f32[{1},{0}] transpose(p), dimensions={{1,0}}\n "
          "d = f32[{0},{0}] dot(p, t), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n "
          "ROOT r = f32[{0},{0}] tanh(d)",
          b + 8, a + 6 * c);
  }
}

std::string shapeAfter(std::string_view text, std::string_view name) {
  const size_t from = text.find(name) + name.size();
  return std::string(text.substr(from, text.find(' ', from) - from));
}

std::string fusionsText(int64_t count) {
  std::string bodies, calls, results, shapes;
  for (int64_t i = 0; i < count; ++i) {
    const std::string body = fusionText(i), given = shapeAfter(body, "p = "),
                      result = shapeAfter(body, "ROOT r = ");
    bodies += fmt::format("f{} {{ {} }}\n", i, body);
    calls += fmt::format("a{0} = {1} parameter({0})\nr{0} = {2} fusion(a{0}), kind=kLoop, calls=f{0}\n", i,
                         given, result);
    results += fmt::format("{}r{}", i == 0 ? "" : ", ", i);
    shapes += (i == 0 ? "" : ", ") + result;
  }
  return "HloModule fusions\nadd { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y) "
         "}\n" +
         bodies + "ENTRY e {\n" + calls + "ROOT t = (" + shapes + ") tuple(" + results + ")\n}\n";
}

// The kernel of a module whose result is one more than it should be, for every fifth one.
struct Planted {
  std::mutex mutex;
  std::set<std::pair<std::string, std::string>> wrong;

  bool plants(const std::string& name, const std::optional<GpuKernelChoice>& choice) {
    if (!choice || choice->shape == "elements" || choice->shape == "library call") return false;
    if ((std::hash<std::string>()(name + toString(*choice)) % 5) != 0) return false;
    const std::lock_guard lock(mutex);
    wrong.emplace(name, toString(*choice));
    return true;
  }
};

Result<Program> compiled(const Module& alone, const std::string& name,
                         const std::optional<GpuKernelChoice>& choice, Planted& planted) {
  const std::shared_ptr<Module> stated = alone.clone();
  stateGpuKernel(*stated->findInstruction(name), choice);
  if (planted.plants(name, choice)) {
    Computation& entry = *stated->entry();
    Instruction* root = entry.root();
    entry.setRoot(entry.create(Opcode::Negate, root->shape(), {root}));
  }
  const bool asksLibrary = choice && choice->shape == "library call";
  TRY(CompiledModule made, compileForGpu(stated, *gpuTarget("sm_90a"), {},
                                         {.libraries = asksLibrary ? LibraryChoice::All : LibraryChoice::None,
                                          .runsPasses = false}));
  made.program.moduleHash = 0;
  return std::move(made.program);
}

double secondsOf(const GpuTuneRequest& request, GpuTuneReport& report) {
  const auto from = std::chrono::steady_clock::now();
  report = *tuneForGpu(request, JobContext());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

void tune(benchmark::State& state, const std::string& text, size_t tilings) {
  const std::shared_ptr<const Module> module = parseModule(text).module;
  const auto store = *RunStore::open(":memory:");
  Planted planted;
  GpuTuneRequest request{.module = module,
                         .device = *findDevice("h100"),
                         .target = "sm_90a",
                         .runsPasses = false,
                         .tilings = tilings,
                         .store = store.get(),
                         .compile = [&](const Module& alone, const std::string& name,
                                        const std::optional<GpuKernelChoice>& choice) {
                           return compiled(alone, name, choice, planted);
                         }};
  GpuTuneReport report;
  for (auto _ : state) {
    state.counters["first_s"] = secondsOf(request, report);
    double caught = 0, variants = 0, ran = 0, wrong = 0;
    for (const TunedKernel& tuned : report.tuned) {
      variants += static_cast<double>(tuned.tried.size());
      for (const TriedKernel& tried : tuned.tried) {
        ran += tried.wasRun;
        if (tried.failure == TrialFailure::Compilation ||
            !planted.wrong.contains({tuned.instructions[0], tried.choice}))
          continue;
        ++wrong;
        caught += tried.failure == TrialFailure::WrongResults;
      }
    }
    state.counters["groups"] = static_cast<double>(report.tuned.size());
    state.counters["variants"] = variants;
    state.counters["ran"] = ran;
    state.counters["planted"] = wrong;
    state.counters["caught"] = caught;
    state.counters["second_s"] = secondsOf(request, report);
  }
}

void tunes(benchmark::State& state) { tune(state, moduleText(state.range(0)), 0); }
void tunesFusions(benchmark::State& state) { tune(state, fusionsText(state.range(0)), 40); }

// Two hundred take minutes: only where they are asked for.
void fusionCounts(benchmark::internal::Benchmark* bench) {
  bench->Arg(8);
  if (std::getenv("HILO_BENCH_LARGE") != nullptr) bench->Arg(200);
}

BENCHMARK(tunesFusions)->Apply(fusionCounts)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(tunes)->Arg(8)->Arg(200)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace hilo
