#include "core/compiler/schedule/schedule_edges.h"

#include <set>

#include "core/analysis/cost/uniform_latency.h"

#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

// Layers whose gradients are summed asynchronously and given out together, `far` instructions behind them.
std::string gradients(int layers) {
  std::string text =
      "HloModule step, is_scheduled=true\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
      "  ROOT z = f32[] add(x, y)\n}\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  std::string results, shapes;
  for (int i = 0; i < layers; ++i) {
    text += fmt::format(
        "  a{0} = f32[8] tanh(v{0})\n  s{0} = f32[8] all-reduce-start(a{0}), replica_groups={{{{0,1}}}}, "
        "to_apply=add\n  v{1} = f32[8] exponential(a{0})\n  r{0} = f32[8] all-reduce-done(s{0})\n",
        i, i + 1);
    results += fmt::format("{}r{}", i == 0 ? "" : ", ", i);
    shapes += i == 0 ? "f32[8]" : ", f32[8]";
  }
  return fmt::format("{}  ROOT t = ({}) tuple({})\n}}\n", text, shapes, results);
}

struct Edges {
  std::set<std::pair<std::string, std::string>> pairs;
  size_t visited = 0;
};

Edges edgesOf(const std::string& text) {
  const auto module = scheduledModule(text);
  const auto alias = AliasAnalysis::run(*module, Backend::Gpu);
  EXPECT_TRUE(alias);
  const UniformLatencyEstimator estimator;
  const AsyncTracker tracker{SchedulerConfig{}};
  const auto instructions = module->entry()->instructions();
  const std::vector<Instruction*> order(instructions.begin(), instructions.end());
  const ScheduleGraph graph(order, estimator, tracker, *alias);
  Edges edges;
  edges.visited =
      findScheduleEdges(graph, estimator, *alias, false, [&](NodeIndex from, NodeIndex to, double) {
        edges.pairs.emplace(graph.node(from).instruction->name(), graph.node(to).instruction->name());
      });
  return edges;
}

// A done's buffer is used near it, or by a tuple of all results: neither takes a walk through the module.
TEST(ScheduleEdges, LookAtFewNodesForTheUsesOfABuffer) {
  for (const int layers : {200, 800}) EXPECT_LT(edgesOf(gradients(layers)).visited, 16u * layers) << layers;
}

}  // namespace
}  // namespace hilo
