// How many edges cross in drawings by the own layout and by Graphviz's dot, on the same graphs: random ones
// shaped like HLO, and the computations of 20 to 300 drawn nodes of the HLO files named on the command line.
// Crossings are counted between the lines as drawn, not between edges that share an end; lines of one end
// that run as one line, as the own layout leads long edges, cross another such line in one place, which
// counts once: `own` and `dot` are places, `own_pairs` and `dot_pairs` the crossing pairs of edges. dot has
// 60 s a graph.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <QGuiApplication>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "core/hlo/text/parse.h"
#include "tests/support/random_graph.h"
#include "ui/canvas/layout/dot_layout.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/views/graph/graph_scene.h"

namespace hilo {
namespace {

struct Segment {
  LayoutPoint a, b;
  uint32_t edge;
};

double side(LayoutPoint a, LayoutPoint b, LayoutPoint p) {
  return (static_cast<double>(b.x) - a.x) * (static_cast<double>(p.y) - a.y) -
         (static_cast<double>(b.y) - a.y) * (static_cast<double>(p.x) - a.x);
}

bool cross(const Segment& s, const Segment& t) {
  return side(s.a, s.b, t.a) * side(s.a, s.b, t.b) < 0 && side(t.a, t.b, s.a) * side(t.a, t.b, s.b) < 0;
}

struct Crossings {
  double places = 0;
  double pairs = 0;
};

LayoutPoint placeOf(const Segment& s, const Segment& t) {
  const double a = side(t.a, t.b, s.a), b = side(t.a, t.b, s.b);
  const auto share = static_cast<float>(a / (a - b));
  return {s.a.x + (s.b.x - s.a.x) * share, s.a.y + (s.b.y - s.a.y) * share};
}

Crossings countDrawnCrossings(const LayoutInput& input, const LayoutResult& result) {
  std::vector<Segment> segments;
  for (uint32_t edge = 0; edge < input.edges.size(); ++edge) {
    const auto line = result.line(edge);
    for (size_t i = 0; i + 1 < line.size(); ++i) segments.push_back({line[i], line[i + 1], edge});
  }
  auto top = [](const Segment& s) { return std::min(s.a.y, s.b.y); };
  std::sort(segments.begin(), segments.end(),
            [&](const Segment& s, const Segment& t) { return top(s) < top(t); });
  constexpr float kPlacePx = 2;
  std::set<std::pair<int, int>> places;
  Crossings crossings;
  for (size_t i = 0; i < segments.size(); ++i) {
    const float bottom = std::max(segments[i].a.y, segments[i].b.y);
    for (size_t j = i + 1; j < segments.size() && top(segments[j]) <= bottom; ++j) {
      const LayoutEdge &e = input.edges[segments[i].edge], &f = input.edges[segments[j].edge];
      if (e.from == f.from || e.to == f.to || e.from == f.to || e.to == f.from) continue;
      if (!cross(segments[i], segments[j])) continue;
      crossings.pairs += 1;
      const LayoutPoint place = placeOf(segments[i], segments[j]);
      places.emplace(std::lround(place.x / kPlacePx), std::lround(place.y / kPlacePx));
    }
  }
  crossings.places = static_cast<double>(places.size());
  return crossings;
}

// A computation as the graph draws it by itself: folded, each instruction once.
LayoutInput inputOf(Grouping& grouping, const Computation& computation) {
  std::vector<const Instruction*> instructions;
  for (const Instruction* instruction : computation.instructions()) instructions.push_back(instruction);
  LayoutInput input;
  const GraphRequest request = makeFlatRequest(grouping, instructions);
  for (const NestedNode& node : request.input.nodes) input.nodes.push_back({node.width, node.height});
  for (const NestedEdge& edge : request.input.edges) input.edges.push_back({edge.from, edge.to});
  auto less = [](const LayoutEdge& a, const LayoutEdge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  auto same = [](const LayoutEdge& a, const LayoutEdge& b) { return a.from == b.from && a.to == b.to; };
  std::sort(input.edges.begin(), input.edges.end(), less);
  input.edges.erase(std::unique(input.edges.begin(), input.edges.end(), same), input.edges.end());
  return input;
}

std::vector<LayoutInput> inputsOf(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::shared_ptr<const Module> module = std::move(parseModule(text).module);
  std::vector<LayoutInput> inputs;
  Grouping grouping(module, {.mode = GroupingMode::ByComputation});
  for (const Computation* computation : module->computations()) {
    if (computation->instructionCount() < 20 || computation->instructionCount() > 1'000) continue;
    LayoutInput input = inputOf(grouping, *computation);
    if (input.nodes.size() >= 20 && input.nodes.size() <= kDotNodeLimit) inputs.push_back(std::move(input));
  }
  return inputs;
}

void compare(benchmark::State& state, const std::vector<LayoutInput>& inputs) {
  Crossings own, dot;
  double worst = 0, drawn = 0;
  for (auto _ : state) {
    for (const LayoutInput& input : inputs) {
      const auto reference = layoutWithDot(input, CancelToken(), std::chrono::seconds(60));
      if (!reference) continue;
      const Crossings a = countDrawnCrossings(input, layoutLayered(input, CancelToken()).value());
      const Crossings b = countDrawnCrossings(input, *reference);
      own = {own.places + a.places, own.pairs + a.pairs};
      dot = {dot.places + b.places, dot.pairs + b.pairs};
      drawn += 1;
      if (b.places >= 10) worst = std::max(worst, a.places / b.places);
    }
  }
  state.counters["graphs"] = drawn;
  state.counters["own"] = own.places;
  state.counters["dot"] = dot.places;
  state.counters["own_pairs"] = own.pairs;
  state.counters["dot_pairs"] = dot.pairs;
  state.counters["ratio"] = dot.places == 0 ? 1 : own.places / dot.places;
  state.counters["worst"] = worst;
}

void random(benchmark::State& state) {
  std::vector<LayoutInput> inputs;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    inputs.push_back(randomGraph(static_cast<uint32_t>(state.range(0)), 0.04, seed));
  compare(state, inputs);
}
BENCHMARK(random)->Arg(50)->Arg(100)->Arg(200)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    benchmark::RegisterBenchmark(
        ("computations/" + path.substr(path.rfind('/') + 1)).c_str(),
        [path](benchmark::State& state) { hilo::compare(state, hilo::inputsOf(path)); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
