// What the thunk view feels like with a program of many thunks: frames of its graph and of its timeline while
// zooming and panning, the widgets as they are, in time of the thread that draws; and how long it takes to
// make them, which a job does.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QKeyEvent>

#include "tests/bench/qt_bench.h"
#include "tests/bench/thread_time.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/views/thunks/thunk_lanes.h"
#include "ui/views/thunks/thunk_scene.h"

namespace hilo {
namespace {

constexpr QSize kSize(1'600, 1'000);

// Layers as of a training step: four thunks side by side, each after one of the layer before or a far one, a
// loop with a body now and then; on four threads.
std::shared_ptr<const ThunkStudy> makeStudy(uint32_t count) {
  auto study = std::make_shared<ThunkStudy>();
  uint64_t state = 1;
  const auto below = [&](uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33) % limit;
  };
  std::vector<uint32_t> outer;
  int64_t now = 0;
  while (study->thunks.size() < count) {
    const auto at = static_cast<uint32_t>(study->thunks.size());
    StudiedThunk thunk{.name = fmt::format("fusion.{}", at), .kind = "kernel"};
    thunk.estimatedNs = thunk.measuredNs = 500 + int64_t{below(100'000)};
    if (!outer.empty()) {
      const auto near = static_cast<uint32_t>(outer.size() - 1 - below(std::min<uint32_t>(4, outer.size())));
      study->hazards.push_back({.from = outer[near], .to = at, .readAfterWrite = true});
      if (below(5) == 0)
        study->hazards.push_back(
            {.from = outer[below(static_cast<uint32_t>(outer.size()))], .to = at, .writeAfterRead = true});
    }
    const bool loops = below(50) == 0;
    if (loops) thunk.kind = "while";
    study->timeline.push_back(
        {.thunk = at, .thread = at % 4, .startNs = now, .durationNs = thunk.measuredNs});
    now += thunk.measuredNs / 4;
    study->thunks.push_back(std::move(thunk));
    outer.push_back(at);
    for (uint32_t inside = 0; loops && inside < 8; ++inside) {
      const auto body = static_cast<uint32_t>(study->thunks.size());
      study->thunks.push_back(
          {.name = fmt::format("body.{}", body), .kind = "kernel", .parent = at, .part = "body"});
      if (inside > 0) study->hazards.push_back({.from = body - 1, .to = body, .readAfterWrite = true});
    }
  }
  std::ranges::sort(study->timeline, {}, &ThunkSpan::startNs);
  return study;
}

Scene sceneOf(const ThunkStudy& study, const ClosedThunks& closed) {
  auto scene = makeThunkScene(study, closed, CancelToken());
  if (!scene) std::abort();
  return std::move(*scene);
}

class Frames {
 public:
  void draw(QWidget& widget) {
    const double begin = threadCpuMs();
    widget.render(&image_);
    times_.push_back(threadCpuMs() - begin);
  }
  void count(benchmark::State& state) {
    std::ranges::sort(times_);
    state.counters["frames"] = static_cast<double>(times_.size());
    state.counters["median_ms"] = times_[times_.size() / 2];
    state.counters["p99_ms"] = times_[times_.size() * 99 / 100];
    state.counters["most_ms"] = times_.back();
  }

 private:
  QImage image_{kSize, QImage::Format_RGB32};
  std::vector<double> times_;
};

// From the whole graph in to one thunk, with pans between; `range(1)`: all bodies open.
void graphFrames(benchmark::State& state) {
  const auto study = makeStudy(static_cast<uint32_t>(state.range(0)));
  CanvasWidget canvas;
  canvas.resize(kSize);
  canvas.setScene(sceneOf(*study, state.range(1) != 0 ? ClosedThunks() : closedAtFirst(*study)));
  canvas.select({canvas.scene().nodes[canvas.scene().nodes.size() / 2].id});
  const QPointF target = canvas.scene().nodes[canvas.scene().nodes.size() / 2].rect.center();
  Frames frames;
  for (auto _ : state) {
    canvas.fit();
    frames.draw(canvas);
    for (double scale = canvas.view().scale; scale < 1.3; scale *= 1.2) {
      const ViewTransform view = ViewTransform{scale, {}}.centredOn(target, kSize);
      for (int step = 0; step < 10; ++step) {
        canvas.setView(view.panned(QPointF(step * 24, step * 9)));
        frames.draw(canvas);
      }
    }
  }
  frames.count(state);
}
BENCHMARK(graphFrames)
    ->Args({10'000, 0})
    ->Args({10'000, 1})
    ->Args({100'000, 0})
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

void timelineFrames(benchmark::State& state) {
  const auto study = makeStudy(static_cast<uint32_t>(state.range(0)));
  ThunkLanes lanes;
  lanes.resize(kSize);
  lanes.setStudy(study, std::make_shared<const ThunkTimeline>(makeTimeline(*study)));
  lanes.select(study->timeline[study->timeline.size() / 2].thunk);
  Frames frames;
  for (auto _ : state) {
    const auto press = [&](Qt::Key key) {
      QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
      QApplication::sendEvent(&lanes, &event);
      frames.draw(lanes);
    };
    press(Qt::Key_F);
    for (int zoom = 0; zoom < 24; ++zoom) {
      press(Qt::Key_Plus);
      for (int step = 0; step < 4; ++step) press(Qt::Key_Right);
    }
  }
  frames.count(state);
}
BENCHMARK(timelineFrames)->Arg(10'000)->Arg(100'000)->Iterations(2)->Unit(benchmark::kMillisecond);

void makeSceneOfThunks(benchmark::State& state) {
  const auto study = makeStudy(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(sceneOf(*study, closedAtFirst(*study)));
}
BENCHMARK(makeSceneOfThunks)->Arg(10'000)->Iterations(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  const hilo::QtBench bench(argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
