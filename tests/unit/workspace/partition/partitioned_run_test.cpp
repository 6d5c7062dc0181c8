// Whole against partitioned, and partitioned for other numbers of devices.
#include "core/workspace/partition/partitioned_run.h"

#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

TEST(PartitionedRun, GivesWhatTheWholeModuleGives) {
  for (const char* engine : {"reference", "cpu"}) {
    for (const int64_t devices : {0, 2, 8}) {
      auto runs = runPartitioned({.partition = {.module = shardedModule(), .devices = devices},
                                  .engine = engine,
                                  .arguments = {.seed = 3}},
                                 JobContext());
      ASSERT_TRUE(runs) << engine << " " << toString(runs.error());
      EXPECT_EQ(toString(runs->partitioned.output->shape().withoutLayout()), "f32[16,32]");
      const RunComparison comparison = compareRuns(std::move(runs->whole), std::move(runs->partitioned));
      EXPECT_TRUE(comparison.comparable) << comparison.notComparable;
      EXPECT_EQ(comparison.verdict, Verdict::Match) << engine << " on " << devices;
    }
  }
}

TEST(PartitionedRun, TwoPartitioningsOfOneModuleGiveTheSame) {
  auto runs = runPartitioned(
      {.partition = {.module = shardedModule(), .constraints = {{"v", "{devices=[1,4]<=[4]}"}}},
       .other = PartitionRequest{.module = shardedModule(), .devices = 2},
       .arguments = {.seed = 3}},
      JobContext());
  ASSERT_TRUE(runs) << toString(runs.error());
  EXPECT_EQ(runs->whole.devices, 1);  // put together too
  const RunComparison comparison = compareRuns(std::move(runs->whole), std::move(runs->partitioned));
  EXPECT_TRUE(comparison.comparable) << comparison.notComparable;
  EXPECT_EQ(comparison.verdict, Verdict::Match);
}

TEST(PartitionedRun, IsRefusedWhereThereIsNothingToPartition) {
  const auto runs = runPartitioned(
      {.partition = {.module = shardedModule("HloModule m\nENTRY e { ROOT p = f32[8] parameter(0) }\n")}},
      JobContext());
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().kind, "not-sharded");
}

TEST(PartitionedRun, ShardingsAlongOneAxisStretchToMoreDevices) {
  const auto made = partitioningOf({.module = shardedModule(), .devices = 8});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(meshText(made->mesh), "data 8");
  EXPECT_EQ(made->local->partitionCount(), 8);
  EXPECT_EQ(made->collectives[0].groupSize, 8);
}

TEST(PartitionedRun, AlongTwoAxesItIsNotKnownWhichGrows) {
  const auto made = makePartitioning({.module = shardedModule(R"(HloModule m, num_partitions=4
ENTRY e { ROOT x = f32[16,8] parameter(0), sharding={devices=[2,2]<=[4]} }
)"),
                                      .devices = 8},
                                     JobContext());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, "bad-device-count");
}

}  // namespace
}  // namespace hilo
