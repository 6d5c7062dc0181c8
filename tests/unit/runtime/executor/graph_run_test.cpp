// Many thunks by several threads: each once, none before what it waits for, whatever they cost.
#include "core/runtime/executor/graph_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace hilo {
namespace {

struct Graph {
  ExecutionGraph graph;
  ThunkSequence thunks;
};

// A few predecessors each, among the fifty before; one in eight is dear.
Graph randomGraph(uint32_t count, uint64_t seed) {
  Graph made;
  made.graph.nodes.resize(count);
  made.thunks.resize(count);
  uint64_t random = seed * 2 + 1;
  const auto draw = [&](uint64_t below) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return random % below;
  };
  for (uint32_t i = 0; i < count; ++i) {
    made.thunks[i].costNs = draw(8) == 0 ? 100'000 : 100;
    std::vector<uint32_t> before;
    for (uint64_t n = draw(4); n > 0 && i > 0; --n)
      before.push_back(i - 1 - static_cast<uint32_t>(draw(std::min(i, 50U))));
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    made.graph.nodes[i].predecessors = static_cast<uint32_t>(before.size());
    for (const uint32_t earlier : before) made.graph.nodes[earlier].successors.push_back(i);
  }
  return made;
}

// Runs the graph on four threads, one of them the caller, as DeviceRun does, and gives what finish says.
Status runOn(ThreadPool& threads, const Graph& graph, const std::function<Status(uint32_t)>& body) {
  auto run = std::make_shared<GraphRun>(graph.graph, graph.thunks);
  const auto work = [run, &threads, &body](bool isCaller, const std::function<void()>& help) {
    bool took = false;
    const auto take = [&](uint32_t thunk) { return took = true, body(thunk); };
    run->work(threads, isCaller, take, help);
    if (took && !isCaller) run->leave();
  };
  auto help = std::make_shared<std::function<void()>>();
  *help = [work, again = std::weak_ptr(help)] {
    if (const auto self = again.lock()) work(false, *self);
  };
  work(true, *help);
  return run->finish();
}

TEST(GraphRun, RunsEachOnceAndAfterWhatItWaitsFor) {
  ThreadPool threads(4);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = randomGraph(3000, seed);
    std::vector<std::atomic<int>> done(graph.thunks.size()), ready(graph.thunks.size());
    std::atomic<int> early = 0;
    const Status status = runOn(threads, graph, [&](uint32_t thunk) -> Status {
      early += ready[thunk] != static_cast<int>(graph.graph.nodes[thunk].predecessors);
      ++done[thunk];
      for (const uint32_t next : graph.graph.nodes[thunk].successors) ++ready[next];
      return {};
    });
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(early, 0);
    EXPECT_TRUE(std::ranges::all_of(done, [](const auto& times) { return times == 1; })) << "seed " << seed;
  }
}

TEST(GraphRun, NothingStartsBehindAFailure) {
  ThreadPool threads(4);
  const Graph graph = randomGraph(3000, 7);
  std::atomic<bool> failed = false;
  std::atomic<int> behind = 0;
  const Status status = runOn(threads, graph, [&](uint32_t thunk) -> Status {
    if (thunk == 1000) {
      failed = true;
      return fail("no", "not this one");
    }
    // A batch that another thread is at may end.
    behind += failed;
    return {};
  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().kind, "no");
  EXPECT_LT(behind, 4 * 256);
}

}  // namespace
}  // namespace hilo
