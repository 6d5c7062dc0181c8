// Opening, painting, scrolling and searching a long text; and how long the window does not answer meanwhile.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <QApplication>
#include <QImage>
#include <QKeyEvent>
#include <ctime>
#include <functional>

#include "tests/bench/qt_bench.h"
#include "tests/bench/thread_time.h"
#include "tests/support/qt/ui_jobs.h"
#include "ui/widgets/find_bar.h"
#include "ui/widgets/text_view.h"

namespace hilo {
namespace {

std::shared_ptr<const std::string> text(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) {
    if (i % 50 == 48) {
      text += "}\n";
      continue;
    }
    if (i % 50 == 49 || i == 0) {
      text += fmt::format("%fused_computation.{} (p: f32[8]) -> f32[8] {{\n", i);
      continue;
    }
    text += fmt::format(
        "  %fusion.{} = bf16[128,{}]{{1,0}} fusion(%param_0.{}, %param_1.{}), kind=kLoop, "
        "calls=%fused_computation.{}, "
        "metadata={{op_name=\"jit(step)/layer_{}/dot\" source_file=\"model.py\" source_line={}}}\n",
        i, i % 512, i, i, i, i % 48, i % 900);
  }
  return std::make_shared<const std::string>(std::move(text));
}

void open(benchmark::State& state) {
  const auto shared = text(state.range(0));
  TextView view;
  view.resize(1'200, 800);
  for (auto _ : state) view.setText(shared);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(shared->size()));
}
BENCHMARK(open)->Arg(200'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// What of it is left on the UI thread where a job made the text ready.
void openReady(benchmark::State& state) {
  const TextContent ready(text(state.range(0)));
  TextView view;
  view.resize(1'200, 800);
  for (auto _ : state) {
    state.PauseTiming();
    TextContent content = ready;
    state.ResumeTiming();
    view.setText(std::move(content));
  }
}
BENCHMARK(openReady)->Arg(200'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void scrollAndPaint(benchmark::State& state) {
  TextView view;
  view.resize(1'200, 800);
  static const auto shared = text(1'000'000);
  view.setText(shared);
  view.shown().setTailsFolded(state.range(0) != 0);
  QImage image(view.viewport()->size(), QImage::Format_RGB32);
  int row = 0;
  for (auto _ : state) {
    view.setFirstRow(row = (row + 7'919) % 990'000);
    view.viewport()->render(&image);
  }
}
BENCHMARK(scrollAndPaint)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void search(benchmark::State& state) {
  static const TextLines lines(text(1'000'000));
  const FindQuery query{QStringLiteral("layer_47/"), state.range(0) == 1, state.range(0) != 2};
  for (auto _ : state) benchmark::DoNotOptimize(findAll(lines, query, CancelToken()));
}
BENCHMARK(search)->ArgName("exact0_regex1_nocase2")->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// What a person does to a text of 1,000,000 lines, by keys; `worst_block_ms` is the most processor time
// the window's thread took before it answered again, the time of the benchmark is until the picture is there.
class InUse {
 public:
  InUse() : bar_(&view_, jobs_.queue()) {
    view_.resize(1'200, 800);
    view_.additions().setGhosts([](uint32_t line) { return QString("%1 KiB").arg(line % 997); });
    view_.setText(TextContent(text(1'000'000)));
    view_.show();
    pump([] { return true; });
  }
  TextView& view() { return view_; }
  FindBar& bar() { return bar_; }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QKeyEvent press(QEvent::KeyPress, key, modifiers);
    timed([&] { QApplication::sendEvent(&view_, &press); });
  }
  void timed(const std::function<void()>& act) {
    const double start = threadCpuMs();
    act();
    worst_ = std::max(worst_, threadCpuMs() - start);
  }
  void pump(const std::function<bool()>& done) {
    do {
      timed([] { QCoreApplication::processEvents(); });
    } while (!done());
    timed([] { QCoreApplication::processEvents(); });
  }
  double takeWorst() { return std::exchange(worst_, 0.0); }

 private:
  UiJobs jobs_;
  TextView view_;
  FindBar bar_;
  double worst_ = 0;
};

InUse& inUse() {
  static auto& used = *new InUse;
  return used;
}

void use(benchmark::State& state, const std::function<void(InUse&)>& act) {
  InUse& used = inUse();
  used.takeWorst();
  for (auto _ : state) act(used);
  state.counters["worst_block_ms"] = used.takeWorst();
}
const auto kPainted = [] { return true; };
BENCHMARK_CAPTURE(use, pageDown,
                  [](InUse& used) {
                    used.key(Qt::Key_PageDown);
                    used.pump(kPainted);
                  })
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(use, endAndHome,
                  [](InUse& used) {
                    for (const Qt::Key key : {Qt::Key_End, Qt::Key_Home}) {
                      used.key(key, Qt::ControlModifier);
                      used.pump(kPainted);
                    }
                  })
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(use, findRegex,
                  [](InUse& used) {
                    int found = 0;
                    const auto connection = QObject::connect(&used.view().search(), &TextSearch::changed,
                                                             [&](int, int total, bool) { found = total; });
                    static int number = 0;
                    used.timed([&] {
                      used.view().search().find(
                          {QString("layer_4[0-9]/.*line=%1\\}").arg((number++ * 12 + 8) % 900), true, true,
                           false});
                    });
                    used.pump([&] { return found > 0; });
                    QObject::disconnect(connection);
                  })
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(use, foldAll,
                  [](InUse& used) {
                    for (const bool folded : {true, false}) {
                      used.timed([&] { used.view().shown().setAllFolded(folded); });
                      used.pump(kPainted);
                    }
                  })
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const hilo::QtBench bench(argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
