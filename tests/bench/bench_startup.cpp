// Cold start of the studio: from the start of the process to the first painted graph, for modules of 2,000
// to 200,000 instructions. Runs the program itself with --startup-timing.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

// Layers of a made-up network under jit(step)/layer_N scopes, in the text form XLA prints.
std::string makeModule(int instructions) {
  std::string text =
      "HloModule startup, entry_computation_layout={(f32[128,128]{1,0})->f32[128,128]{1,0}}\n\n";
  text += "ENTRY %main (x: f32[128,128]) -> f32[128,128] {\n  %x = f32[128,128]{1,0} parameter(0)\n";
  std::string last = "%x";
  static constexpr const char* kOps[] = {"add", "multiply", "maximum", "subtract"};
  for (int i = 1; i < instructions; ++i) {
    const std::string name = fmt::format("%{}.{}", kOps[i % 4], i);
    text += fmt::format(
        "  {}{} = f32[128,128]{{1,0}} {}(f32[128,128]{{1,0}} {}, f32[128,128]{{1,0}} %x), "
        "metadata={{op_name=\"jit(step)/layer_{}/block_{}/{}\" source_file=\"model.py\" source_line={}}}\n",
        i + 1 == instructions ? "ROOT " : "", name, kOps[i % 4], last, i / 400, i / 40 % 10, kOps[i % 4],
        i % 500 + 1);
    last = name;
  }
  return text + "}\n";
}

// Milliseconds of the milestone, or -1 when the program did not get there.
double milestoneMs(const std::string& command, const std::string& milestone) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return -1;
  double found = -1;
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    if (std::string_view(line).find(milestone) != std::string_view::npos) found = std::atof(line);
  }
  return pclose(pipe) == 0 ? found : -1;
}

void startup(benchmark::State& state) {
  const std::string path = fmt::format("/tmp/hilo-bench-startup-{}.hlo", getpid());
  std::ofstream(path) << makeModule(static_cast<int>(state.range(0)));
  const std::string command = fmt::format(
      "QT_QPA_PLATFORM=offscreen '{}' --no-settings --startup-timing '{}'", HILO_STUDIO_PROGRAM, path);
  for (auto _ : state) {
    const double ms = milestoneMs(command, "graph painted");
    if (ms < 0) {
      state.SkipWithError("hilo-studio did not paint a graph");
      break;
    }
    state.SetIterationTime(ms / 1000);
  }
  std::remove(path.c_str());
}
BENCHMARK(startup)
    ->Arg(2000)
    ->Arg(20000)
    ->Arg(40000)
    ->Arg(50000)
    ->Arg(200000)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
