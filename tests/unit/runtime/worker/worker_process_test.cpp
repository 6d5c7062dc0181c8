// Programs that crash, hang and take all memory, run in a worker: what is said of them, and that the next
// run goes well.
#include "core/runtime/worker/worker_process.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/runtime/executor/hand_written.h"

namespace hilo {
namespace {

Literal argumentOf(int32_t first, int64_t n) {
  Literal literal(Shape::array(ElementType::S32, {n}));
  for (int64_t i = 0; i < n; ++i)
    literal.mutableData<int32_t>()[static_cast<size_t>(i)] = first + static_cast<int32_t>(i);
  return literal;
}

WorkerOptions inLoader(int64_t timeLimitMs = 0, int64_t memoryLimitBytes = 0) {
  return {{HILO_LOADER, "worker"}, timeLimitMs * 1'000'000, memoryLimitBytes};
}

WorkerProcess workerOf(Program program, WorkerOptions options = inLoader()) {
  return {std::make_shared<const Program>(std::move(program)), std::move(options)};
}

Result<std::vector<Literal>> run(WorkerProcess& worker, std::vector<int32_t> firsts, int64_t n) {
  std::vector<std::vector<Literal>> lists;
  for (const int32_t first : firsts) lists.push_back({argumentOf(first, n)});
  return worker.run({static_cast<int64_t>(firsts.size()), 1}, lists, {});
}

// result = argument + argument; crashes where the argument's first byte is not 0, as `sequence` 1 then runs.
Program doubling() {
  Program program = emptyProgram(4, 4);
  program.sequences = {{{"copy", 0, 0, CopyThunk{argument(4), writeTemporary(0, 4)}},
                        {"add", 1, 0, KernelThunk{0, 4, 1, {argument(4)}, {writeTemporary(0, 4)}}},
                        {"choice", 2, 0, ConditionalThunk{ReadSlice({1, 0, 1}), true, {1, 2}}}},
                       {{"broken", 3, 0, KernelThunk{1, 64, 1'000, {argument(4)}, {}}}},
                       {}};
  return program;
}

TEST(Worker, GivesResultsOfEveryDeviceAndEveryRun) {
  WorkerProcess worker = workerOf(doubling());
  for (const int32_t first : {256, 512, 256}) {
    const auto outputs = run(worker, {first, first + 1024}, 4);
    ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
    for (int32_t i = 0; i < 4; ++i) {
      // The first byte of 256 and its like is 0.
      EXPECT_EQ((*outputs)[0].data<int32_t>()[static_cast<size_t>(i)], 2 * (first + i));
      EXPECT_EQ((*outputs)[1].data<int32_t>()[static_cast<size_t>(i)], 2 * (first + 1024 + i));
    }
    EXPECT_GT(worker.lastRun().executionNs, 0);
    EXPECT_TRUE(worker.lastRun().events.empty());
  }
  const std::vector<std::vector<Literal>> list = {{argumentOf(256, 4)}};
  ASSERT_TRUE(worker.run({1, 1}, list, {}, {.traces = true}).has_value());
  EXPECT_EQ(worker.lastRun().events.size(), 3u);
}

TEST(Worker, ACrashIsReportedAndTheNextRunGoesWell) {
  WorkerProcess worker = workerOf(doubling());
  const auto crashed = run(worker, {1}, 4);
  ASSERT_FALSE(crashed.has_value());
  EXPECT_EQ(crashed.error().kind, "worker-crashed");
  EXPECT_TRUE(crashed.error().message.contains("SIGSEGV")) << crashed.error().message;
  EXPECT_TRUE(crashed.error().message.contains("in broken (kernel)")) << crashed.error().message;
  ASSERT_EQ(crashed.error().notes.size(), 1u);
  EXPECT_EQ(crashed.error().notes[0],
            "device 0 (replica 0, partition 0): choice (conditional) > broken (kernel)");
  EXPECT_TRUE(run(worker, {256}, 4).has_value());
}

// Device 0 waits for device 1, which never comes: its first byte is not 0.
Program hanging() {
  Program program = emptyProgram(2, 2);
  program.collectives = {{.kind = CollectiveKind::AllGather, .outer = {1}}};
  program.sequences = {
      {{"loop", 0, 0, WhileThunk{ReadSlice({1, 0, 1}), 1, 2}},
       {"gather", 1, 0,
        CollectiveThunk{0, CollectivePhase::Whole, {ReadSlice({1, 0, 4})}, {writeTemporary(0, 2)}}}},
      {},
      {{"turn", 2, 0, CopyThunk{argument(2), writeTemporary(64, 2)}}}};
  return program;
}

TEST(Worker, AHangIsEndedByTheTimeLimitAndSaysWhoWaitsForWhom) {
  WorkerProcess worker = workerOf(hanging(), inLoader(300));
  const auto ended = run(worker, {256, 1}, 2);
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().kind, "time-limit");
  EXPECT_EQ(ended.error().message, "the run was ended after 0.3 s, its time limit");
  ASSERT_EQ(ended.error().notes.size(), 2u);
  EXPECT_EQ(ended.error().notes[0],
            "device 0 (replica 0, partition 0): gather (collective), waits at gather "
            "(all-gather) for device 1");
  EXPECT_TRUE(ended.error().notes[1].starts_with("device 1 (replica 1, partition 0): loop (while)"));
  EXPECT_TRUE(run(worker, {256, 512}, 2).has_value());
}

TEST(Worker, CancelKillsIt) {
  WorkerProcess worker = workerOf(hanging());
  const CancelToken cancel;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.cancel();
  });
  const std::vector<std::vector<Literal>> list = {{argumentOf(1, 2)}};
  EXPECT_EQ(worker.run({1, 1}, list, cancel).error().kind, "cancelled");
}

TEST(Worker, MemoryIsLimited) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "AddressSanitizer's own memory is more than any limit";
#endif
#endif
  Program greedy = emptyProgram(4, 4);
  greedy.allocations[0].sizeBytes = int64_t{1} << 30;
  WorkerProcess worker = workerOf(greedy, inLoader(0, int64_t{1} << 28));
  EXPECT_EQ(run(worker, {256}, 4).error().kind, "out-of-memory");
  // What devices bring to each other counts too: a gather of 64 MB on each of 8 devices.
  constexpr int64_t kElements = int64_t{1} << 24;
  Program gather = emptyProgram(1, 1);
  gather.allocations[0].sizeBytes = 4 * kElements + 1024;
  gather.collectives = {
      {.kind = CollectiveKind::Permute, .groups = {{0, 7}, {1, 6}, {2, 5}, {3, 4}}, .outer = {1}}};
  gather.sequences[0] = {
      {"big", 0, 0,
       CollectiveThunk{
           0, CollectivePhase::Whole, {readTemporary(0, kElements)}, {writeTemporary(0, kElements)}}}};
  WorkerProcess exchanging = workerOf(gather, inLoader(0, int64_t{640} << 20));
  const auto ended = run(exchanging, {0, 0, 0, 0, 0, 0, 0, 0}, 1);
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().kind, "out-of-memory") << toString(ended.error());
}

TEST(Worker, WhatCannotBeStartedOrLoadedSaysSo) {
  WorkerProcess none = workerOf(doubling(), {{"/no/such/program", "worker"}});
  EXPECT_EQ(run(none, {256}, 4).error().kind, "no-worker");
  WorkerProcess silent = workerOf(doubling(), {{"/bin/true"}});
  EXPECT_EQ(run(silent, {256}, 4).error().kind, "worker-crashed");
  Program foreign = doubling();
  foreign.target.features = {"no-such-feature"};
  WorkerProcess other = workerOf(foreign);
  EXPECT_EQ(run(other, {256}, 4).error().kind, "wrong-machine");
  WorkerProcess fine = workerOf(doubling());
  EXPECT_EQ(run(fine, {256}, 3).error().kind, "wrong-argument");
}

}  // namespace
}  // namespace hilo
