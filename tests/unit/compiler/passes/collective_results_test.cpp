// Passes over collectives and schedules: the same answers on every device of a grid, before and after.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Collectives of each kind on two devices, some waiting for others, one pair in a scheduling group.
constexpr const char* kModule = R"(HloModule m, num_partitions=2
add {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT z = s32[] add(x, y)
}
max {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT z = s32[] maximum(x, y)
}
ENTRY e {
  a = s32[8]{0} parameter(0)
  b = s32[4]{0} parameter(1)
  id = u32[] partition-id()
  n = s32[] convert(id)
  ns = s32[8]{0} broadcast(n), dimensions={}
  own = s32[8]{0} add(a, ns)
  r0 = s32[8]{0} all-reduce(own), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  r1 = s32[4]{0} all-reduce(b), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  r2 = s32[8]{0} all-reduce(own), channel_id=3, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=max
  w = s32[8]{0} multiply(r0, r2)
  r3 = s32[8]{0} all-reduce(w), channel_id=4, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  g0 = s32[16]{0} all-gather(own), channel_id=5, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
  g1 = s32[8]{0} all-gather(b), channel_id=6, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
  s0 = s32[4]{0} reduce-scatter(own), channel_id=7, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true, to_apply=add
  s1 = s32[4]{0} reduce-scatter(w), channel_id=8, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true, to_apply=add
  p = s32[8]{0} collective-permute(own), channel_id=9, source_target_pairs={{0,1},{1,0}}
  alone = s32[8]{0} negate(p), frontend_attributes={_scheduling_group_id="4"}
  ROOT t = (s32[8]{0}, s32[4]{0}, s32[8]{0}, s32[16]{0}, s32[8]{0}, s32[4]{0}, s32[4]{0}, s32[8]{0}) tuple(r0, r1, r3, g0, g1, s0, s1, alone)
}
)";

void expectSameAnswers(std::initializer_list<std::string_view> names) {
  auto parsed = parseModuleStrictly(kModule);
  ASSERT_TRUE(parsed) << toString(parsed.error());
  const std::shared_ptr<const Module> before = std::move(*parsed);
  std::vector<ConfiguredPass> passes;
  for (const std::string_view name : names) {
    const Pass* pass = findPass(name);
    ASSERT_NE(pass, nullptr) << name;
    passes.push_back(pass);
  }
  const PassRun run = runPasses(before, passes, {});
  ASSERT_TRUE(run.completed()) << names.begin()[run.steps.size() - 1] << ": "
                               << toString(run.steps.back().problems[0]);
  for (const PassStep& step : run.steps) EXPECT_EQ(step.outcome, PassOutcome::Changed) << step.pass;
  const auto arguments = makeArguments(*before, 7);
  ASSERT_TRUE(arguments) << toString(arguments.error());
  const DeviceGrid grid{.replicas = 1, .partitions = 2};
  const auto expected = evaluateOnDevices(*before, grid, {&arguments->arguments, 1});
  const auto actual = evaluateOnDevices(*run.output(), grid, {&arguments->arguments, 1});
  ASSERT_TRUE(expected) << toString(expected.error());
  ASSERT_TRUE(actual) << toString(actual.error());
  EXPECT_EQ(*expected, *actual);
}

TEST(CollectiveResults, Combiners) {
  expectSameAnswers({"all-reduce-combiner"});
  expectSameAnswers({"all-gather-combiner"});
  expectSameAnswers({"reduce-scatter-combiner"});
  expectSameAnswers({"all-reduce-combiner", "all-gather-combiner", "reduce-scatter-combiner"});
}

TEST(CollectiveResults, ScheduleAwareCombiner) {
  expectSameAnswers({"schedule-aware-combiner"});
  expectSameAnswers({"schedule-aware-combiner", "async-collective-creator", "disable-async-collectives"});
}

TEST(CollectiveResults, StartsAndDones) { expectSameAnswers({"async-collective-creator"}); }

TEST(CollectiveResults, SchedulingGroups) {
  expectSameAnswers({"legalize-scheduling-annotations"});
  expectSameAnswers({"legalize-scheduling-annotations-gpu"});
}

TEST(CollectiveResults, WholeWay) {
  expectSameAnswers({"all-reduce-combiner", "all-gather-combiner", "async-collective-creator",
                     "memory-scheduler", "latency-hiding-scheduler"});
}

}  // namespace
}  // namespace hilo
