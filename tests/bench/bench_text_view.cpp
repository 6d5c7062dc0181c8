// Opening, painting, scrolling and searching a long text.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <QApplication>
#include <QImage>

#include "ui/style/theme.h"
#include "ui/widgets/text_view.h"

namespace hilo {
namespace {

std::shared_ptr<const std::string> text(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) {
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
    view.setContent(std::move(content));
  }
}
BENCHMARK(openReady)->Arg(200'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void scrollAndPaint(benchmark::State& state) {
  TextView view;
  view.resize(1'200, 800);
  static const auto shared = text(1'000'000);
  view.setText(shared);
  view.setTailsFolded(state.range(0) != 0);
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

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  hilo::applyTheme(application, hilo::lightTheme());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
