// One frame of the canvas at different zooms, and what setting a scene costs.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QPainter>

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

void indexScene(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(SceneIndex(largeScene()));
}
BENCHMARK(indexScene)->Unit(benchmark::kMillisecond);

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
