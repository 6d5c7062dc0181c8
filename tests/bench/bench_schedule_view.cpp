// What the schedule view feels like: frames of a timeline of 100,000 events while zooming and panning, and
// how long the answer to a change takes at 10,000 instructions, in time of the thread that works.
// `bench_schedule_view FILE...` asks the changes of files.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QPainter>

#include "core/hlo/text/parse.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/schedule/schedule_why.h"
#include "tests/bench/qt_bench.h"
#include "tests/bench/thread_time.h"
#include "ui/style/theme.h"
#include "ui/views/schedule/chart_painter.h"

namespace hilo {
namespace {

// A training step's form: layers of products and elementwise work forward, then backward with an all-reduce
// of each layer's gradient, waited for at the end.
std::shared_ptr<const Module> makeStep(int instructions) {
  const int layers = instructions / 14;
  std::string text =
      "HloModule step, is_scheduled=true, num_partitions=8\nadd {\n a = f32[] parameter(0)\n b = f32[] "
      "parameter(1)\n"
      " ROOT s = f32[] add(a, b)\n}\nENTRY main {\n x0 = f32[512,512] parameter(0)\n";
  std::string results;
  for (int i = 0; i < layers; ++i) {
    text += fmt::format(
        " w{0} = f32[512,512] parameter({1})\n d{0} = f32[512,512] dot(x{0}, w{0}), "
        "lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{0}}\n t{0} = f32[512,512] tanh(d{0})\n e{0} = f32[512,512] "
        "exponential(t{0})\n"
        " m{0} = f32[512,512] multiply(e{0}, t{0})\n x{1} = f32[512,512] add(m{0}, x{0})\n",
        i, i + 1);
  }
  text += fmt::format(" g{0} = f32[512,512] negate(x{0})\n", layers);
  for (int i = layers; i-- > 0;) {
    text += fmt::format(
        " k{0} = f32[512,512] multiply(g{1}, t{0})\n l{0} = f32[512,512] multiply(k{0}, e{0})\n"
        " g{0} = f32[512,512] dot(l{0}, w{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}\n"
        " q{0} = f32[512,512] dot(x{0}, l{0}), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}\n"
        " r{0} = f32[512,512] all-reduce(q{0}), replica_groups={{{{0,1,2,3,4,5,6,7}}}}, to_apply=add\n"
        " u{0} = f32[512,512] subtract(w{0}, r{0})\n",
        i, i + 1);
    results += fmt::format("{}u{}", results.empty() ? "" : ", ", i);
  }
  std::string shapes = "f32[512,512]";
  for (int i = 1; i < layers; ++i) shapes += ", f32[512,512]";
  text += fmt::format(" ROOT out = ({}) tuple({})\n}}\n", shapes, results);
  auto module = parseModuleStrictly(text);
  if (!module) {
    fmt::print(stderr, "{}\n", toString(module.error()));
    std::abort();
  }
  return std::move(*module);
}

double percentile(std::vector<double>& times, size_t percent) {
  std::ranges::sort(times);
  return times[std::min(times.size() - 1, times.size() * percent / 100)];
}

// From the whole step in to one instruction and out, with pans between, as a hand does.
void frames(benchmark::State& state) {
  const auto module = makeStep(static_cast<int>(state.range(0)));
  const auto study = *ScheduleStudy::open(module, true, JobContext());
  const ShownOrder order(*study->run({.preset = "gpu"}, JobContext()));
  const auto axis = state.range(1) == 0 ? ChartAxis::Time : ChartAxis::Slots;
  const QSize size(1'600, 1'000);
  QImage image(size, QImage::Format_RGB32);
  ChartPainter painter;
  const auto rows = chartRows(order.chart(), false, 24, 900);
  const double width = 1'480, length = order.chart().length(axis);
  std::vector<double> times;
  for (auto _ : state) {
    AxisView view = AxisView::fitting(axis, length, width);
    while (view.perPixel * 40 > length / static_cast<double>(order.chart().events.size())) {
      for (int pan = 0; pan < 6; ++pan) {
        const ChartLook look{.view = view.panned(-30.0 * pan, length, width),
                             .left = 116,
                             .width = width,
                             .mostBytes = order.chart().peakBytes,
                             .longest = length};
        const double begin = threadCpuMs();
        QPainter out(&image);
        out.fillRect(image.rect(), lightTheme().colour(ColourRole::kWindow));
        painter.paint(out, order, rows, {}, look);
        out.end();
        times.push_back(threadCpuMs() - begin);
      }
      view = view.zoomedAt(width * 0.6, 1.5, length, width);
    }
  }
  state.counters["frames"] = static_cast<double>(times.size());
  state.counters["events"] = static_cast<double>(order.chart().events.size());
  state.counters["median_ms"] = percentile(times, 50);
  state.counters["p99_ms"] = percentile(times, 99);
}
BENCHMARK(frames)->Args({100'000, 0})->Args({100'000, 1})->Iterations(3)->Unit(benchmark::kMillisecond);

// A change as the view asks for it: the outcome with its chart, and what drawing needs of it.
double changeMs(const ScheduleStudy& study, const ScheduleScenario& scenario) {
  const double begin = threadCpuMs();
  const auto outcome = study.run(scenario, JobContext());
  if (!outcome) std::abort();
  benchmark::DoNotOptimize(std::make_shared<const ShownOrder>(*outcome));
  return threadCpuMs() - begin;
}

std::string aDone(const ScheduleStudy& study) {
  for (const Instruction* i : study.base().entry()->instructions()) {
    if (i->opcode() == Opcode::AllReduceDone || i->opcode() == Opcode::AllGatherDone)
      return std::string(i->name());
  }
  return std::string(study.base().entry()->root()->name());
}

void whatIf(benchmark::State& state, const std::shared_ptr<const Module>& module) {
  const auto study = *ScheduleStudy::open(module, true, JobContext());
  const std::string done = aDone(*study), last(study->base().entry()->root()->name());
  ScheduleScenario scenario{.preset = "gpu"};
  changeMs(*study, scenario);
  std::vector<double> moves, settings, latencies, answers;
  int64_t limit = 2;
  for (auto _ : state) {
    ScheduleScenario moved = scenario;
    moved.moves.push_back({done, last});
    moves.push_back(changeMs(*study, moved));
    ScheduleScenario set = scenario;
    set.set("parallel_collective_overlap_limit", std::to_string(limit++));
    settings.push_back(changeMs(*study, set));
    ScheduleScenario latency = scenario;
    latency.latenciesUs[done] = static_cast<double>(limit);
    latencies.push_back(changeMs(*study, latency));
    const auto outcome = study->run(scenario, JobContext());
    const double begin = threadCpuMs();
    benchmark::DoNotOptimize(
        explainPlace(*study, *outcome, study->base().findInstruction(done)->id(), JobContext()));
    answers.push_back(threadCpuMs() - begin);
  }
  state.counters["instructions"] = static_cast<double>(study->base().instructionCount());
  state.counters["move_ms"] = percentile(moves, 50);
  state.counters["setting_ms"] = percentile(settings, 50);
  state.counters["latency_ms"] = percentile(latencies, 50);
  state.counters["why_ms"] = percentile(answers, 50);
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const hilo::QtBench bench(argc, argv);
  std::vector<std::pair<std::string, std::shared_ptr<const hilo::Module>>> modules;
  for (int i = 1; i < argc; ++i) {
    const auto file = hilo::openFile(argv[i]);
    if (!file) fmt::print(stderr, "{}\n", hilo::toString(file.error()));
    if (file) modules.emplace_back(argv[i], (*file)->module);
  }
  if (modules.empty()) modules.emplace_back("training step", hilo::makeStep(10'000));
  for (const auto& [name, module] : modules) {
    const std::string title = "whatIf/" + name.substr(name.rfind('/') + 1);
    benchmark::RegisterBenchmark(title.c_str(),
                                 [module = module](benchmark::State& state) { hilo::whatIf(state, module); })
        ->Iterations(7)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
