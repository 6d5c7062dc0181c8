// The evaluator in a process of its own, as programs with a worker run it: the answers it gives here, and
// limits and cancelling kept from outside.
#include <gtest/gtest.h>

#include <thread>

#include "core/workspace/run/runs.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

WorkerOptions inHilo(double seconds = 0) {
  return {.command = {HILO_PROGRAM, "worker"}, .timeLimitNs = static_cast<int64_t>(seconds * 1e9)};
}

Result<RunRecord> run(std::shared_ptr<Module> module, const std::string& engine,
                      std::optional<WorkerOptions> worker, const JobContext& context = {}) {
  RunRequest request{.module = std::move(module), .engine = engine, .worker = std::move(worker)};
  request.arguments.seed = 3;
  return execute(request, context);
}

const std::string kLongLoop = countingLoop("f32[]", 2'000'000'000, "w = f32[] add(v, v)") + R"(
ENTRY e { zero = s32[] constant(0)
  one = f32[] constant(1)
  t = (s32[], f32[]) tuple(zero, one)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body })";

constexpr const char* kSums = R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  p = f32[64,64] parameter(0)
  few = s4[3] constant({-8, 0, 7})
  zero = f32[] constant(0)
  r = f32[64] reduce(p, zero), dimensions={1}, to_apply=add
  ROOT t = (f32[64], s4[3]) tuple(r, few)
})";

constexpr const char* kDevices = R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[8] parameter(0)
  id = u32[] replica-id()
  c = f32[] convert(id)
  w = f32[8] broadcast(c), dimensions={}
  m = f32[8] multiply(p, w)
  ROOT r = f32[8] all-reduce(m), replica_groups={{0,1,2,3}}, to_apply=add })";

TEST(ReferenceApart, GivesTheAnswersItGivesHere) {
  const auto sums = moduleOf(kSums), devices = moduleOf(kDevices);
  devices->set<Attr::ReplicaCount>(4);
  for (const auto& module : {sums, devices}) {
    for (const char* engine : {"reference", "reference:sums-as-specified"}) {
      const auto here = run(module, engine, std::nullopt), apart = run(module, engine, inHilo());
      ASSERT_TRUE(here) << toString(here.error());
      ASSERT_TRUE(apart) << toString(apart.error());
      EXPECT_EQ(apart->outputDigest, here->outputDigest) << engine;
      EXPECT_EQ(apart->devices, here->devices);
    }
  }
}

// The header says one device; its sum is of four.
TEST(ReferenceApart, RunsOnAsManyDevicesAsCollectivesName) {
  const auto module = moduleOf(kDevices);
  const auto here = run(module, "reference", std::nullopt), apart = run(module, "reference", inHilo());
  ASSERT_TRUE(here) << toString(here.error());
  ASSERT_TRUE(apart) << toString(apart.error());
  EXPECT_EQ(apart->devices, 4);
  EXPECT_EQ(apart->outputDigest, here->outputDigest);
}

TEST(ReferenceApart, IsEndedAtTheTimeLimit) {
  const auto late = run(moduleOf(kLongLoop), "reference", inHilo(0.2));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, "time-limit") << toString(late.error());
  EXPECT_EQ(late.error().message, "the run was ended after 0.2 s, the time limit of a run");
}

TEST(ReferenceApart, IsEndedWhenItIsCancelled) {
  const CancelToken cancel;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel.cancel();
  });
  const auto ended = run(moduleOf(kLongLoop), "reference", inHilo(), JobContext(cancel));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, "cancelled") << toString(ended.error());
}

TEST(ReferenceApart, AProgramThatIsNoWorkerIsSaid) {
  const auto none = run(moduleOf(kSums), "reference", WorkerOptions{.command = {"/bin/false", "worker"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "engine-crashed") << toString(none.error());
}

}  // namespace
}  // namespace hilo
