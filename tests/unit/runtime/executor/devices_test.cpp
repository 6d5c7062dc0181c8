// Programs on several devices, without a compiler: every kind of collective, many times over, so that a
// thread checker sees how devices meet.
#include <gtest/gtest.h>

#include "core/runtime/executor/executor.h"
#include "tests/unit/runtime/executor/hand_written.h"

namespace hilo {
namespace {

constexpr int kTurns = 250;

int64_t valueOf(int64_t device, int64_t i) { return 100 * device + i; }

std::vector<std::vector<Literal>> argumentsFor(int64_t devices, int64_t n) {
  std::vector<std::vector<Literal>> lists;
  for (int64_t d = 0; d < devices; ++d) {
    Literal literal(Shape::array(ElementType::S32, {n}));
    for (int64_t i = 0; i < n; ++i)
      literal.mutableData<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(valueOf(d, i));
    lists.push_back({literal});
  }
  return lists;
}

using Expected = std::function<int64_t(int64_t device, int64_t i)>;

void expectOnAll(Program program, int64_t devices, int64_t n, const Expected& expected) {
  const auto executor = Executor::make(std::make_shared<const Program>(std::move(program)));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  const auto arguments = argumentsFor(devices, n);
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto outputs = (*executor)->runOnDevices({devices, 1}, arguments);
    ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
    for (int64_t d = 0; d < devices; ++d) {
      const auto got = (*outputs)[static_cast<size_t>(d)].data<int32_t>();
      for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected(d, static_cast<int64_t>(i)));
    }
  }
}

// A program of one collective on the whole argument, or, of TupleAllToAll, on its pieces.
Program programOf(Collective collective, int64_t n, int64_t m, int64_t pieces = 1) {
  Program program = emptyProgram(n, m);
  collective.outer.assign(static_cast<size_t>(pieces), 1);
  program.collectives = {std::move(collective)};
  CollectiveThunk thunk;
  for (int64_t i = 0; i < pieces; ++i) {
    thunk.operands.push_back(ReadSlice({1, 4 * i * (n / pieces), 4 * (n / pieces)}));
    thunk.results.push_back(writeTemporary(4 * i * (m / pieces), m / pieces));
  }
  program.sequences[0] = {{"c", 0, 0, thunk}};
  return program;
}

class Devices : public testing::TestWithParam<int64_t> {
 protected:
  const int64_t n = GetParam();
  int64_t sum(int64_t i) const {
    int64_t total = 0;
    for (int64_t d = 0; d < n; ++d) total += valueOf(d, i);
    return total;
  }
};
INSTANTIATE_TEST_SUITE_P(Numbers, Devices, testing::Values(2, 4, 8));

TEST_P(Devices, AllReduce) {
  expectOnAll(
      programOf({.kind = CollectiveKind::AllReduce, .reductions = {{.type = ElementType::S32}}}, 16, 16), n,
      16, [&](int64_t, int64_t i) { return sum(i); });
}
TEST_P(Devices, ReduceScatter) {
  expectOnAll(programOf({.kind = CollectiveKind::ReduceScatter, .reductions = {{.type = ElementType::S32}}},
                        16, 16 / n),
              n, 16, [&](int64_t d, int64_t i) { return sum(d * (16 / n) + i); });
}
TEST_P(Devices, AllGather) {
  expectOnAll(programOf({.kind = CollectiveKind::AllGather}, 4, 4 * n), n, 4,
              [](int64_t, int64_t i) { return valueOf(i / 4, i % 4); });
}
TEST_P(Devices, AllToAll) {
  expectOnAll(programOf({.kind = CollectiveKind::AllToAll}, 8, 8), n, 8, [&](int64_t d, int64_t i) {
    const int64_t part = 8 / n;
    return valueOf(i / part, d * part + i % part);
  });
}
TEST_P(Devices, TupleAllToAll) {
  expectOnAll(programOf({.kind = CollectiveKind::TupleAllToAll}, n, n, n), n, n,
              [](int64_t d, int64_t i) { return valueOf(i, d); });
}
TEST_P(Devices, Broadcast) {
  expectOnAll(programOf({.kind = CollectiveKind::Broadcast, .groups = {{1, 0}}}, 3, 3), n, 3,
              [](int64_t d, int64_t i) { return d < 2 ? valueOf(1, i) : 0; });
}
TEST_P(Devices, Permute) {
  Collective ring{.kind = CollectiveKind::Permute};
  for (int64_t d = 0; d + 1 < n; ++d) ring.groups.push_back({d, d + 1});
  expectOnAll(programOf(ring, 3, 3), n, 3,
              [](int64_t d, int64_t i) { return d == 0 ? 0 : valueOf(d - 1, i); });
}

// Every device sends its i-th row to device i, as row of its own number: a transposition.
TEST_P(Devices, RaggedAllToAll) {
  Program program = emptyProgram(n, n);
  program.collectives = {
      {.kind = CollectiveKind::RaggedAllToAll, .rowBytes = 4, .indexType = ElementType::S32}};
  CollectiveThunk thunk{.operands = {argument(n), argument(n)}, .results = {writeTemporary(0, n)}};
  const auto addNumbers = [&](const std::function<int32_t(int64_t)>& number) {
    std::vector<int32_t> numbers;
    for (int64_t i = 0; i < n; ++i) numbers.push_back(number(i));
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
    program.allocations.push_back(
        {AllocationKind::Constant, 4 * n, static_cast<uint32_t>(program.constants.size())});
    program.constants.emplace_back(std::span(bytes, static_cast<size_t>(4 * n)));
    thunk.operands.push_back(ReadSlice({static_cast<uint32_t>(program.allocations.size() - 1), 0, 4 * n}));
  };
  addNumbers([](int64_t i) { return static_cast<int32_t>(i); });
  addNumbers([](int64_t) { return 1; });
  // Where a row goes is the sender's number, which the ids hold: as a constant all would write to one place.
  program.kernels.push_back({"targets", "fill_s32", 0});
  program.sequences[0] = {
      {"targets", 0, 0, KernelThunk{2, n, n, {ReadSlice({2, 0, 4})}, {writeTemporary(1024, n)}}}};
  thunk.operands.push_back(readTemporary(1024, n));
  addNumbers([](int64_t) { return 1; });
  program.sequences[0].push_back({"c", 1, 0, thunk});
  expectOnAll(program, n, n, [](int64_t d, int64_t i) { return valueOf(i, d); });
}

// Two starts, copies that have nothing to do with them, and their dones in the other order; costly on paper,
// so that threads share the graph.
TEST_P(Devices, StartsAndDonesInAGraph) {
  constexpr int64_t kCost = 1'000'000;
  Program program = emptyProgram(8, 16);
  program.collectives = {
      {.kind = CollectiveKind::AllReduce, .reductions = {{.type = ElementType::S32}}, .outer = {1}},
      {.kind = CollectiveKind::AllReduce, .reductions = {{.type = ElementType::S32}}, .outer = {1}}};
  ThunkSequence& thunks = program.sequences[0];
  const auto add = [&](const char* name, ThunkBody body) {
    thunks.push_back({name, 0, kCost, std::move(body)});
  };
  add("start.0", CollectiveThunk{0, CollectivePhase::Start, {argument(8)}, {}});
  add("start.1", CollectiveThunk{1, CollectivePhase::Start, {argument(8)}, {}});
  for (int64_t i = 0; i < 6; ++i) add("copy", CopyThunk{argument(8), writeTemporary(1024 + 64 * i, 8)});
  add("done.1", CollectiveThunk{1, CollectivePhase::Done, {}, {writeTemporary(32, 8)}});
  add("done.0", CollectiveThunk{0, CollectivePhase::Done, {}, {writeTemporary(0, 8)}});
  expectOnAll(program, n, 8, [&](int64_t, int64_t i) { return sum(i % 8); });
}

TEST_P(Devices, SendAndReceive) {
  Collective ring{.kind = CollectiveKind::SendRecv, .channel = 0, .hasPairs = true};
  for (int64_t d = 0; d < n; ++d) ring.groups.push_back({d, (d + 1) % n});
  Program program = emptyProgram(3, 3);
  program.collectives = {ring};
  program.sequences[0] = {{"send", 0, 0, SendThunk{0, {argument(3)}}},
                          {"recv", 1, 0, ReceiveThunk{0, {writeTemporary(0, 3)}}}};
  expectOnAll(program, n, 3, [&](int64_t d, int64_t i) { return valueOf((d + n - 1) % n, i); });
}

TEST(Devices, ADeviceThatFailsEndsTheOthers) {
  // Of the pairs one names no device, but only where it is looked at.
  Program program = programOf({.kind = CollectiveKind::AllGather}, 2, 5);
  const auto executor = Executor::make(std::make_shared<const Program>(program));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  EXPECT_EQ((*executor)->runOnDevices({4, 1}, argumentsFor(4, 2)).error().kind, "malformed-instruction");
  EXPECT_EQ((*executor)->runOnDevices({4, 1}, argumentsFor(3, 2)).error().kind, "wrong-argument");
  EXPECT_EQ((*executor)->runOnDevices({0, 1}, argumentsFor(1, 2)).error().kind, "wrong-argument");
}

// Device 1 never comes: it loops on its own replica id.
TEST(Devices, AWatchSaysWhatEachDoesAndWhomItWaitsFor) {
  Program program = emptyProgram(2, 2);
  program.collectives = {{.kind = CollectiveKind::AllGather, .outer = {1}}};
  program.sequences[0] = {
      {"loop", 0, 0, WhileThunk{ReadSlice({2, 0, 1}), 1, 2}},
      {"gather", 1, 0,
       CollectiveThunk{0, CollectivePhase::Whole, {ReadSlice({1, 0, 4})}, {writeTemporary(0, 2)}}}};
  program.sequences.resize(3);
  program.sequences[2] = {{"turn", 2, 0, CopyThunk{argument(2), writeTemporary(64, 2)}}};
  const auto executor = Executor::make(std::make_shared<const Program>(program));
  ASSERT_TRUE(executor.has_value()) << toString(executor.error());
  RunWatch watch;
  ExecuteOptions options{.watch = &watch};
  std::vector<std::string> seen;
  std::jthread watcher([&] {
    for (int i = 0; i < 5000 && (seen.size() < 2 || !seen[0].contains("waits")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      seen = watch.describe();
    }
    options.cancel.cancel();
  });
  EXPECT_EQ((*executor)->runOnDevices({2, 1}, argumentsFor(2, 2), options).error().kind, "cancelled");
  watcher.join();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0],
            "device 0 (replica 0, partition 0): gather (collective), waits at gather (all-gather) for "
            "device 1");
  EXPECT_TRUE(seen[1].starts_with("device 1 (replica 1, partition 0): loop (while)")) << seen[1];
}

}  // namespace
}  // namespace hilo
