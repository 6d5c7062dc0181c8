// One frame of the canvas at different zooms, and what setting a scene costs.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>

#include "tests/bench/qt_bench.h"
#include "tests/support/scene_maker.h"
#include "ui/canvas/scene_painter.h"
#include "ui/style/theme.h"

namespace hilo {
namespace {

const Scene& largeScene() {
  static const Scene scene = makeGraphScene(100'000);
  return scene;
}

// The share of the scene's height in the window is 1 / range.
void paintFrame(benchmark::State& state) {
  const Scene& scene = largeScene();
  const SceneIndex index(scene);
  ScenePainter scenePainter;
  QImage image(1'600, 1'000, QImage::Format_RGB32);
  const QRectF bounds = scene.bounds();
  const double scale = 1'000 / bounds.height() * static_cast<double>(state.range(0));
  ViewTransform view{scale, {}};
  view = view.centredOn(scene.nodes[50'000].rect.center(), image.size());
  for (auto _ : state) {
    QPainter painter(&image);
    painter.fillRect(image.rect(), lightTheme().colour(ColourRole::kSurface));
    scenePainter.paint(painter, scene, index, view, image.size(), {});
  }
  state.counters["scale"] = scale;
}
BENCHMARK(paintFrame)->RangeMultiplier(8)->Range(1, 8 * 8 * 8 * 8)->Unit(benchmark::kMillisecond);

// A walk over the scene as a hand makes it: from the whole of it in steps to one box and back, with a pan
// between the steps. The frames' times sorted: the middle one and the one that 99 in 100 are faster than.
void panAndZoom(benchmark::State& state) {
  const auto indexed =
      std::make_shared<const IndexedScene>(makeGraphScene(static_cast<uint32_t>(state.range(0))));
  const Scene& scene = indexed->scene;
  ScenePainter scenePainter;
  QImage image(1'600, 1'000, QImage::Format_RGB32);
  const QRectF bounds = scene.bounds();
  const double fit = std::min(1'600 / bounds.width(), 1'000 / bounds.height());
  std::vector<double> frames;
  auto paint = [&](const ViewTransform& view) {
    QElapsedTimer timer;
    timer.start();
    QPainter painter(&image);
    painter.fillRect(image.rect(), lightTheme().colour(ColourRole::kSurface));
    scenePainter.paint(painter, scene, indexed->index, view, image.size(), {});
    painter.end();
    frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
  };
  const QPointF target = scene.nodes[scene.nodes.size() / 2].rect.center();
  for (auto _ : state) {
    for (double scale = fit; scale < 1.3; scale *= 1.2) {
      const ViewTransform view = ViewTransform{scale, {}}.centredOn(target, image.size());
      for (int step = 0; step < 10; ++step) paint(view.panned(QPointF(step * 24, step * 9)));
    }
  }
  std::sort(frames.begin(), frames.end());
  state.counters["frames"] = static_cast<double>(frames.size());
  state.counters["median_ms"] = frames[frames.size() / 2];
  state.counters["p99_ms"] = frames[frames.size() * 99 / 100];
}
BENCHMARK(panAndZoom)->Arg(20'000)->Arg(200'000)->Iterations(2)->Unit(benchmark::kMillisecond);

void indexScene(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(SceneIndex(largeScene()));
}
BENCHMARK(indexScene)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const hilo::QtBench bench(argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
