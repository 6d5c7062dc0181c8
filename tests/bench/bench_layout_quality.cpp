// How many edges cross in drawings by the own layout and by Graphviz's dot, on the same graphs: random ones
// shaped like HLO, and the computations of 20 to 1,500 drawn nodes of the HLO files named on the command
// line. Counted are pairs of edges whose drawn lines cross and that share no end, each place where they do.
// dot runs as it is, without bounds on its effort, for at most 60 s a graph; graphs it does not finish are
// left out and counted. With --dot_folder=DIR its layouts are kept there for the next run.
#include <absl/container/flat_hash_set.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <QGuiApplication>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "core/hlo/text/parse.h"
#include "tests/support/random_graph.h"
#include "ui/canvas/layout/crossings.h"
#include "ui/canvas/layout/dot_layout.h"
#include "ui/canvas/layout/layered_layout.h"
#include "ui/canvas/layout/layout_files.h"
#include "ui/views/graph/graph_scene.h"

namespace hilo {
namespace {

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

constexpr size_t kLeastNodes = 20;
constexpr size_t kMostNodes = 1'500;

// Of equal computations one.
std::vector<LayoutInput> inputsOf(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::shared_ptr<const Module> module = std::move(parseModule(text).module);
  std::vector<LayoutInput> inputs;
  absl::flat_hash_set<LayoutKey> known;
  Grouping grouping(module, {.mode = GroupingMode::ByComputation});
  for (const Computation* computation : module->computations()) {
    if (computation->instructionCount() < kLeastNodes || computation->instructionCount() > 4 * kMostNodes)
      continue;
    LayoutInput input = inputOf(grouping, *computation);
    if (input.nodes.size() < kLeastNodes || input.nodes.size() > kMostNodes) continue;
    if (known.insert(layoutKey(input, LayoutEngine::kDot)).second) inputs.push_back(std::move(input));
  }
  return inputs;
}

const LayoutFiles* dotFolder = nullptr;

std::optional<LayoutResult> fullDot(const LayoutInput& input) {
  const LayoutKey key = layoutKey(input, LayoutEngine::kDot);
  if (dotFolder != nullptr) {
    if (auto kept = dotFolder->read(key, input)) return kept;
  }
  Result<LayoutResult> made = layoutWithDot(input, CancelToken(), std::chrono::seconds(60), DotEffort::kFull);
  if (!made) return std::nullopt;
  if (dotFolder != nullptr) dotFolder->write(key, *made);
  return std::move(*made);
}

void compare(benchmark::State& state, const std::vector<LayoutInput>& inputs) {
  double own = 0, dot = 0, worst = 0, graphs = 0, nodes = 0, unfinished = 0, ownSeconds = 0;
  for (auto _ : state) {
    for (const LayoutInput& input : inputs) {
      const std::optional<LayoutResult> reference = fullDot(input);
      if (!reference) {
        ++unfinished;
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      const LayoutResult drawn = layoutLayered(input, CancelToken()).value();
      ownSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const double a = static_cast<double>(drawnCrossings(input, drawn)),
                   b = static_cast<double>(drawnCrossings(input, *reference));
      if (std::getenv("HILO_LAYOUT_GRAPHS") != nullptr)
        fmt::print(stderr, "{:5} nodes {:5} edges  own {:6} dot {:6}  {:.2f}\n", input.nodes.size(),
                   input.edges.size(), a, b, b > 0 ? a / b : a);
      own += a;
      dot += b;
      ++graphs;
      nodes += static_cast<double>(input.nodes.size());
      if (b >= 10) worst = std::max(worst, a / b);
    }
  }
  state.counters["graphs"] = graphs;
  state.counters["nodes"] = nodes;
  state.counters["dot_unfinished"] = unfinished;
  state.counters["own"] = own;
  state.counters["dot"] = dot;
  state.counters["ratio"] = dot == 0 ? 1 + own : own / dot;
  state.counters["worst"] = worst;
  state.counters["own_ms"] = ownSeconds * 1e3;
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
  std::unique_ptr<hilo::LayoutFiles> folder;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    if (constexpr std::string_view kOption = "--dot_folder="; path.starts_with(kOption)) {
      folder = std::make_unique<hilo::LayoutFiles>(path.substr(kOption.size()), 100'000);
      hilo::dotFolder = folder.get();
      continue;
    }
    benchmark::RegisterBenchmark(
        ("computations/" + path.substr(path.rfind('/') + 1)).c_str(),
        [path](benchmark::State& state) { hilo::compare(state, hilo::inputsOf(path)); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
