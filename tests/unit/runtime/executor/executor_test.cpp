#include "core/runtime/executor/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/runtime/executor/execution_graph.h"

namespace hilo {
namespace {

ThunkBody copyOf(int64_t from, int64_t to, int64_t bytes = 64) {
  return CopyThunk{ReadSlice({0, from, bytes}), WriteSlice({0, to, bytes})};
}

Program programOf(std::vector<ThunkSequence> sequences, int64_t bytes) {
  Program program;
  program.target.triple = "x86_64-pc-linux-gnu";
  program.parameters = {Shape::array(ElementType::U8, {64})};
  program.parameterNames = {"p"};
  program.result = Shape::array(ElementType::U8, {64});
  program.resultNames = {"r"};
  program.allocations = {{AllocationKind::Temporary, bytes, 0}, {AllocationKind::Parameter, 64, 0}};
  program.resultSlices = {ReadSlice({0, bytes - 64, 64})};
  program.sequences = std::move(sequences);
  return program;
}

std::vector<uint32_t> successors(const ExecutionGraph& graph, size_t node) {
  auto list = graph.nodes[node].successors;
  std::ranges::sort(list);
  return list;
}

TEST(ExecutionGraph, OrdersReadersAfterWritersAndWritersAfterReaders) {
  // 0 writes a; 1 and 2 read a; 3 writes a again: after 1 and 2, and so after 0 by itself.
  const Program program = programOf({{{"w", 0, 0, copyOf(1024, 0)},
                                      {"r1", 1, 0, copyOf(0, 128)},
                                      {"r2", 2, 0, copyOf(0, 256)},
                                      {"w2", 3, 0, copyOf(1024, 0)}}},
                                    2048);
  const ExecutionGraph graph = makeExecutionGraph(program, 0);
  EXPECT_EQ(successors(graph, 0), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(successors(graph, 1), (std::vector<uint32_t>{3}));
  EXPECT_EQ(successors(graph, 2), (std::vector<uint32_t>{3}));
  EXPECT_EQ(graph.edgeCount(), 4);
  EXPECT_EQ(graph.width, 2u);
}

TEST(ExecutionGraph, SeesPartsThatOverlap) {
  const Program program = programOf({{{"w", 0, 0, copyOf(1024, 0, 128)},
                                      {"apart", 1, 0, copyOf(512, 640)},
                                      {"second half", 2, 0, copyOf(64, 256)}}},
                                    2048);
  const ExecutionGraph graph = makeExecutionGraph(program, 0);
  EXPECT_EQ(successors(graph, 0), (std::vector<uint32_t>{2}));
  EXPECT_EQ(graph.nodes[1].predecessors, 0u);
}

// Collectives on different bytes keep their order; what stands between them does not wait for either, and a
// loop with a collective inside counts as one.
TEST(ExecutionGraph, KeepsTheOrderOfWhatOthersCanTell) {
  const auto meet = [](int64_t from, int64_t to) {
    return CollectiveThunk{0, CollectivePhase::Whole, {ReadSlice({0, from, 64})}, {WriteSlice({0, to, 64})}};
  };
  Program program = programOf({{{"first", 0, 0, meet(0, 64)},
                                {"copy", 1, 0, copyOf(128, 192)},
                                {"loop", 2, 0, WhileThunk{ReadSlice({1, 0, 1}), 1, 2}},
                                {"uses first", 3, 0, copyOf(64, 256)},
                                {"last", 4, 0, meet(256, 320)}},
                               {},
                               {{"inner", 5, 0, meet(384, 448)}}},
                              1024);
  program.collectives = {{.kind = CollectiveKind::Broadcast, .outer = {1}}};
  const ExecutionGraph graph = makeExecutionGraph(program, 0);
  EXPECT_EQ(successors(graph, 0), (std::vector<uint32_t>{2, 3}));
  EXPECT_TRUE(successors(graph, 1).empty());
  EXPECT_EQ(successors(graph, 2), (std::vector<uint32_t>{4}));
  EXPECT_EQ(graph.schedulingEdges, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 2}, {2, 4}}));
}

// Against the definition: every conflicting pair is ordered, no edge is implied by others.
TEST(ExecutionGraph, RandomSequencesHaveNoRacesAndNoEdgeTooMany) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    ThunkSequence thunks;
    for (uint32_t i = 0; i < 40; ++i) {
      const auto place = [&] { return static_cast<int64_t>(random() % 24) * 32; };
      thunks.push_back({fmt::format("t{}", i), i, 0, copyOf(place(), place())});
    }
    const Program program = programOf({thunks}, 4096);
    const ExecutionGraph graph = makeExecutionGraph(program, 0);
    EXPECT_TRUE(findRaces(program, 0, graph).empty());
    for (uint32_t from = 0; from < 40; ++from) {
      for (size_t e = 0; e < graph.nodes[from].successors.size(); ++e) {
        ExecutionGraph less = graph;
        less.nodes[from].successors.erase(less.nodes[from].successors.begin() + static_cast<ptrdiff_t>(e));
        EXPECT_FALSE(findRaces(program, 0, less).empty()) << "an edge from " << from << " is not needed";
      }
    }
  }
}

// XLA's rule, as it is defined: an edge for every two steps with a conflict, from the bytes execution edges,
// from a shared resource alone scheduling edges; then those go that a path implies, an execution edge only by
// one of execution edges.
struct EdgesByRule {
  std::vector<std::pair<uint32_t, uint32_t>> all, scheduling;
};
EdgesByRule edgesByRule(const std::vector<std::vector<BufferUse>>& uses,
                        const std::vector<std::vector<uint32_t>>& communicators) {
  const auto n = static_cast<uint32_t>(uses.size());
  enum Edge : uint8_t { None, Scheduling, Execution };
  std::vector<std::vector<Edge>> edge(n, std::vector<Edge>(n, None)), path;
  for (uint32_t j = 0; j < n; ++j) {
    for (uint32_t i = 0; i < j; ++i) {
      for (const uint32_t mine : communicators[i]) {
        if (std::ranges::find(communicators[j], mine) != communicators[j].end()) edge[i][j] = Scheduling;
      }
      for (const BufferUse& a : uses[i]) {
        for (const BufferUse& b : uses[j])
          if ((a.writes || b.writes) && a.slice.overlaps(b.slice)) edge[i][j] = Execution;
      }
    }
  }
  path = edge;  // the strongest path between two, edges counted
  for (uint32_t k = 0; k < n; ++k) {
    for (uint32_t i = 0; i < n; ++i) {
      for (uint32_t j = 0; j < n; ++j) path[i][j] = std::max(path[i][j], std::min(path[i][k], path[k][j]));
    }
  }
  EdgesByRule kept;
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = 0; j < n; ++j) {
      if (edge[i][j] == None) continue;
      Edge around = None;
      for (uint32_t k = 0; k < n; ++k) around = std::max(around, std::min(path[i][k], path[k][j]));
      if (around >= edge[i][j]) continue;
      kept.all.emplace_back(i, j);
      if (edge[i][j] == Scheduling) kept.scheduling.emplace_back(i, j);
    }
  }
  return kept;
}

TEST(ExecutionGraph, EdgesOfRandomUsesAreThoseOfXlasRule) {
  std::mt19937 random(11);
  size_t schedulingEdges = 0;
  for (int round = 0; round < 200; ++round) {
    const uint32_t n = 2 + random() % 24;
    std::vector<std::vector<BufferUse>> uses(n);
    std::vector<std::vector<uint32_t>> communicators(n);
    for (uint32_t i = 0; i < n; ++i) {
      for (uint32_t use = random() % 4; use > 0; --use) {
        const auto offset = static_cast<int64_t>(random() % 40),
                   size = static_cast<int64_t>(random() % 12) + 1;
        uses[i].push_back({{static_cast<uint32_t>(random() % 3), offset, size}, random() % 3 == 0});
      }
      for (uint32_t communicator = 0; communicator < 3; ++communicator) {
        if (random() % 6 == 0) communicators[i].push_back(communicator);
      }
    }
    const ExecutionGraph graph = makeExecutionGraph(uses, communicators);
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t i = 0; i < n; ++i) {
      for (const uint32_t next : graph.nodes[i].successors) edges.emplace_back(i, next);
    }
    std::ranges::sort(edges);
    const EdgesByRule rule = edgesByRule(uses, communicators);
    EXPECT_EQ(edges, rule.all) << "round " << round;
    EXPECT_EQ(graph.schedulingEdges, rule.scheduling) << "round " << round;
    schedulingEdges += rule.scheduling.size();
  }
  EXPECT_GT(schedulingEdges, 100u);
}

TEST(ExecutionGraph, CommunicatorsHaveAnOrderEachButNoneBetweenThem) {
  const std::vector<std::vector<BufferUse>> uses(4);
  const std::vector<std::vector<uint32_t>> communicators = {{7}, {8}, {7}, {8}};
  const ExecutionGraph graph = makeExecutionGraph(uses, communicators);
  EXPECT_THAT(graph.schedulingEdges, testing::ElementsAre(std::pair(0u, 2u), std::pair(1u, 3u)));
  EXPECT_EQ(graph.edgeCount(), 2);
  EXPECT_EQ(graph.width, 2u);
}

TEST(Executor, AnArgumentThatLiesBadlyIsNamed) {
  Program program = programOf({{{"in", 0, 0, CopyThunk{ReadSlice({1, 0, 64}), WriteSlice({0, 0, 64})}}}}, 64);
  program.parameters = {Shape::array(ElementType::S32, {16})};
  program.result = program.parameters[0];
  const auto executor = Executor::make(std::make_shared<const Program>(program));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  alignas(64) std::byte room[128] = {};
  std::byte out[64];
  for (const size_t offset : {size_t{0}, size_t{4}, size_t{5}}) {
    const DeviceMemory memory{.arguments = {room + offset}, .results = {out}};
    const auto ran = (*executor)->runOnMemory({}, {&memory, 1});
    EXPECT_EQ(ran.has_value(), offset % 4 == 0) << offset;
    if (ran) continue;
    EXPECT_EQ(ran.error().kind, "misaligned-argument");
    EXPECT_TRUE(ran.error().message.contains("array 0 of the arguments, s32[16]")) << ran.error().message;
  }
}

TEST(Executor, RunsInDataOrderSequentiallyAndInParallel) {
  // A tree of copies that ends in the last slice; costly on paper, so that threads share it.
  ThunkSequence thunks;
  thunks.push_back({"in", 0, 1'000'000, CopyThunk{ReadSlice({1, 0, 64}), WriteSlice({0, 0, 64})}});
  for (uint32_t i = 1; i < 200; ++i)
    thunks.push_back({fmt::format("t{}", i), i, 1'000'000, copyOf((i - 1) / 2 * 64, i * 64)});
  thunks.push_back({"out", 200, 1'000'000, copyOf(199 * 64, 200 * 64)});
  auto executor = Executor::make(std::make_shared<const Program>(programOf({thunks}, 201 * 64)));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  Literal argument(Shape::array(ElementType::U8, {64}));
  for (size_t i = 0; i < 64; ++i) argument.mutableData<uint8_t>()[i] = static_cast<uint8_t>(3 * i + 1);
  for (int round = 0; round < 200; ++round) {
    ThunkTrace trace;
    const auto result = (*executor)->run({&argument, 1}, {.sequential = round % 2 == 0, .trace = &trace});
    ASSERT_TRUE(result.has_value()) << toString(result.error());
    EXPECT_TRUE(*result == argument);
    EXPECT_EQ(trace.events().size(), thunks.size());
  }
}

TEST(Executor, RefusesOtherArgumentsAndEndsWhenCancelled) {
  // A loop whose test, a byte of the argument, never changes.
  ThunkSequence entry = {{"in", 0, 0, CopyThunk{ReadSlice({1, 0, 64}), WriteSlice({0, 0, 64})}},
                         {"loop", 1, 0, WhileThunk{ReadSlice({0, 0, 1}), 1, 2}}};
  auto executor = Executor::make(std::make_shared<const Program>(programOf({entry, {}, {}}, 128)));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  const Literal other(Shape::array(ElementType::U8, {63}));
  EXPECT_EQ((*executor)->run({&other, 1}).error().kind, "wrong-argument");
  EXPECT_EQ((*executor)->run({}).error().kind, "wrong-argument");
  Literal endless(Shape::array(ElementType::U8, {64}));
  EXPECT_TRUE((*executor)->run({&endless, 1}).has_value());  // zero: the loop is not entered
  endless.mutableData<uint8_t>()[0] = 1;
  ExecuteOptions options;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    options.cancel.cancel();
  });
  EXPECT_EQ((*executor)->run({&endless, 1}, options).error().kind, "cancelled");
  stopper.join();
}

// A helper whose first thunk is never begun leaves the run as well: nobody waits for it.
TEST(Executor, EndsWhenCancelledWhileThreadsHelp) {
  ThunkSequence entry = {{"in", 0, 0, CopyThunk{ReadSlice({1, 0, 64}), WriteSlice({0, 0, 64})}},
                         {"loop", 1, 0, WhileThunk{ReadSlice({0, 0, 1}), 1, 2}}};
  ThunkSequence body;
  for (uint32_t i = 1; i < 64; ++i)
    body.push_back({fmt::format("t{}", i), i + 1, 1'000'000, copyOf(0, i * 64)});
  auto executor = Executor::make(std::make_shared<const Program>(programOf({entry, {}, body}, 64 * 64)));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  Literal endless(Shape::array(ElementType::U8, {64}));
  endless.mutableData<uint8_t>()[0] = 1;
  for (int round = 0; round < 100; ++round) {
    ExecuteOptions options;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      options.cancel.cancel();
    });
    EXPECT_EQ((*executor)->run({&endless, 1}, options).error().kind, "cancelled");
    stopper.join();
  }
}

TEST(Executor, RefusesAProgramTooLargeForItsMemory) {
  auto executor = Executor::make(std::make_shared<const Program>(programOf({{}}, int64_t{1} << 50)));
  ASSERT_TRUE(executor.has_value());
  const Literal argument(Shape::array(ElementType::U8, {64}));
  EXPECT_EQ((*executor)->run({&argument, 1}).error().kind, "out-of-memory");
}

TEST(Executor, CountsTheResultsOfAllDevicesAsMemoryToo) {
  auto executor = Executor::make(std::make_shared<const Program>(programOf({{}}, 128)));
  ASSERT_TRUE(executor.has_value());
  const std::vector<Literal> arguments = {Literal(Shape::array(ElementType::U8, {64}))};
  const auto kindWith = [&](int64_t limitBytes) {
    const DeviceGrid four{.partitions = 4};
    const auto done = (*executor)->runOnDevices(four, {&arguments, 1}, {.limitBytes = limitBytes});
    return done ? "" : done.error().kind;
  };
  // 64 bytes of results and 128 of temporaries each.
  EXPECT_EQ(kindWith(4 * 64 - 1), "out-of-memory");
  EXPECT_EQ(kindWith(4 * 192 - 1), "out-of-memory");
  EXPECT_EQ(kindWith(4 * 192), "");
}

}  // namespace
}  // namespace hilo
