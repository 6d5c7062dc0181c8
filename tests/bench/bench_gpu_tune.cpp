// Tuning for a GPU at size: dots, reductions and transposes of many sizes, some with kernels that compute
// something else (planted). Counters: `groups` and `variants` tried, `planted` and of these `caught`, `ran`
// that were held to the reference, and seconds of a first run and of a second from what is kept.
//
//   bench_gpu_tune --benchmark_filter=/200
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

void tunes(benchmark::State& state) {
  const std::shared_ptr<const Module> module = parseModule(moduleText(state.range(0))).module;
  const auto store = *RunStore::open(":memory:");
  Planted planted;
  GpuTuneRequest request{.module = module,
                         .device = *findDevice("h100"),
                         .target = "sm_90a",
                         .runsPasses = false,
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

BENCHMARK(tunes)->Arg(8)->Arg(200)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace hilo
