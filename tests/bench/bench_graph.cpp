// What the window feels while the graph works: the time until a picture is final and painted, and the longest
// single event the UI thread handled meanwhile, while opening one group of 75, 200 or 500 instructions, while
// opening a computation of 10,000, and while opening everything in modules of up to 200,000. `block_cpu_ms`
// is the thread's own time, so that a busy machine does not count; `block_ms` is the clock on the wall.
// bench_graph FILE... opens everything in those modules besides.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <time.h>

#include <fstream>

#include <QApplication>
#include <QElapsedTimer>

#include "core/hlo/text/parse.h"
#include "tests/bench/qt_bench.h"
#include "tests/bench/thread_time.h"
#include "tests/support/qt/ui_jobs.h"
#include "ui/views/graph/graph_view.h"

namespace hilo {
namespace {

class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_ > 0) return QApplication::notify(receiver, event);
    QElapsedTimer wall;
    wall.start();
    const double before = threadCpuMs();
    ++depth_;
    const bool result = QApplication::notify(receiver, event);
    --depth_;
    longestMs = std::max(longestMs, static_cast<double>(wall.nsecsElapsed()) / 1e6);
    longestCpuMs = std::max(longestCpuMs, threadCpuMs() - before);
    return result;
  }

  double longestMs = 0;
  double longestCpuMs = 0;

 private:
  int depth_ = 0;
};

TimedApplication& application() { return static_cast<TimedApplication&>(*qApp); }

// `scopes` scopes of `size` instructions, each on one of the last twelve and now and then on one far back;
// with `called`, in a computation that the entry calls.
std::shared_ptr<const Module> makeModule(int scopes, int size, bool called) {
  std::string body;
  uint64_t state = 1;
  auto random = [&](int bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(bound));
  };
  static constexpr const char* kOps[] = {"add", "multiply", "maximum", "subtract"};
  const int count = scopes * size;
  for (int i = 1; i <= count; ++i) {
    const int a = i - 1 - random(std::min(i, 12)),
              b = random(20) == 0 ? random(i) : i - 1 - random(std::min(i, 12));
    body +=
        fmt::format("  {}%v.{} = f32[128,128] {}(%v.{}, %v.{}), metadata={{op_name=\"step/scope_{}/op\"}}\n",
                    i == count ? "ROOT " : "", i, kOps[i % 4], a, b, (i - 1) / size);
  }
  const std::string head = " (v.0: f32[128,128]) -> f32[128,128] {\n  %v.0 = f32[128,128] parameter(0)\n";
  std::string text = "HloModule bench\n\n";
  text += called ? "%body" + head + body +
                       "}\n\nENTRY %main (x: f32[128,128]) -> f32[128,128] {\n"
                       "  %x = f32[128,128] parameter(0)\n"
                       "  ROOT %call = f32[128,128] call(%x), to_apply=%body\n}\n"
                 : "ENTRY %main" + head + body + "}\n";
  return std::move(parseModule(text).module);
}

class Window {
 public:
  Window() {
    view.resize(1'400, 900);
    view.show();
  }
  // Until the picture is final and has been painted.
  void wait() {
    while (!view.isSettled())
      QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
    view.canvas()->repaint();
    // The motion, too.
    for (int i = 0; i < 60; ++i) QApplication::processEvents(QEventLoop::AllEvents, 5);
  }
  uint64_t keyOf(const QString& title) const {
    for (const SceneNode& node : view.canvas()->scene().nodes) {
      if (node.title == title) return node.id;
    }
    return kNoSceneNode;
  }
  UiJobs jobs;
  GraphView view{jobs.queue()};
};

template <typename Act>
void measure(benchmark::State& state, Window& window, Act act) {
  application().longestMs = application().longestCpuMs = 0;
  QElapsedTimer timer;
  timer.start();
  act();
  while (!window.view.isSettled())
    QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
  window.view.canvas()->repaint();
  state.SetIterationTime(static_cast<double>(timer.nsecsElapsed()) / 1e9);
  window.wait();
  state.counters["block_ms"] = std::max<double>(state.counters["block_ms"], application().longestMs);
  state.counters["block_cpu_ms"] =
      std::max<double>(state.counters["block_cpu_ms"], application().longestCpuMs);
  const Scene& scene = window.view.canvas()->scene();
  state.counters["nodes"] = static_cast<double>(scene.nodes.size());
  state.counters["edges"] = static_cast<double>(scene.edges.size());
  state.counters["points"] = static_cast<double>(scene.points.size());
}

void openGroup(benchmark::State& state) {
  const auto module = makeModule(40, static_cast<int>(state.range(0)), false);
  for (auto _ : state) {
    Window window;
    window.view.setModule(module);
    window.wait();
    measure(state, window, [&] { window.view.toggle(window.keyOf("scope_7")); });
  }
}
BENCHMARK(openGroup)->Arg(75)->Arg(200)->Arg(500)->UseManualTime()->Iterations(3)->Unit(
    benchmark::kMillisecond);

void openComputation(benchmark::State& state) {
  const auto module = makeModule(static_cast<int>(state.range(0)) / 100, 100, true);
  for (auto _ : state) {
    Window window;
    window.view.setGrouping(GroupingMode::ByComputation);
    window.view.setModule(module);
    window.wait();
    const uint64_t call = window.keyOf("call");
    const uint32_t node = window.view.canvas()->index().find(call);
    if (window.view.canvas()->scene().nodes[node].open) {
      window.view.toggle(call);
      window.wait();
    }
    measure(state, window, [&] { window.view.toggle(call); });
  }
}
BENCHMARK(openComputation)->Arg(10'000)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

void openAll(benchmark::State& state, const std::shared_ptr<const Module>& module) {
  for (auto _ : state) {
    Window window;
    window.view.setModule(module);
    window.wait();
    malloc_trim(0);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    measure(state, window, [&] { window.view.openAll(); });
    const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    state.counters["bytes_each"] =
        static_cast<double>(after - before) / static_cast<double>(module->instructionCount());
  }
}

void openEverything(benchmark::State& state) {
  openAll(state, makeModule(static_cast<int>(state.range(0)) / 100, 100, false));
}
BENCHMARK(openEverything)
    ->Arg(10'000)
    ->Arg(20'000)
    ->Arg(100'000)
    ->Arg(200'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const hilo::QtBench<hilo::TimedApplication> bench(argc, argv);
  // Files named on the command line are opened whole, too.
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::shared_ptr<const hilo::Module> module = std::move(hilo::parseModule(text).module);
    const std::string path = argv[i];
    benchmark::RegisterBenchmark(("openEverything/" + path.substr(path.rfind('/') + 1)).c_str(),
                                 [module](benchmark::State& state) { hilo::openAll(state, module); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
