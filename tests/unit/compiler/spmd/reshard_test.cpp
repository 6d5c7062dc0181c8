// Which collectives bring an array from one sharding to another, and what is said of them.
#include <gmock/gmock.h>

#include "tests/support/spmd/partitioned_equals_whole.h"

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

SpmdOutcome copyBetween(const std::string& from, const std::string& to,
                        const std::string& shape = "f32[8,8]") {
  const std::string text = "HloModule m, num_partitions=4\nENTRY e { w = " + shape +
                           " parameter(0), sharding=" + from + "\n ROOT c = " + shape +
                           " copy(w), sharding=" + to +
                           ", metadata={op_name=\"step/copy\" source_file=\"model.py\" source_line=7} }";
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << text;
  SpmdOutcome outcome = partitionAndCompare(*std::move(module), {.passes = "spmd-partitioning"});
  EXPECT_EQ(outcome.difference, "") << text;
  return outcome;
}

// "all-to-all collective-permute": the kinds of remarks, in order.
std::string stepsBetween(const std::string& from, const std::string& to,
                         const std::string& shape = "f32[8,8]") {
  std::string steps;
  for (const Remark& remark : copyBetween(from, to, shape).remarks)
    steps += (steps.empty() ? "" : " ") + remark.kind;
  return steps;
}

TEST(Reshard, TakesWhatADeviceHasWithoutCommunication) {
  EXPECT_EQ(stepsBetween("{replicated}", "{devices=[2,2]<=[4]}"), "");
  EXPECT_EQ(stepsBetween("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", "{devices=[2,2]<=[4]}"), "");
}

TEST(Reshard, OtherDevicesForTheSameTilesAreAPermute) {
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[4,1]3,2,1,0}"), "collective-permute");
  EXPECT_EQ(stepsBetween("{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
                         "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"),
            "collective-permute");
}

TEST(Reshard, OtherDimensionsAreAnAllToAll) {
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}"), "all-to-all");
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[2,2]<=[4]}"), "all-to-all");
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[2,2]<=[2,2]T(1,0)}"),
            "all-to-all collective-permute");
}

TEST(Reshard, FewerTilesAreAnAllGather) {
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{replicated}"), "all-gather");
  EXPECT_EQ(stepsBetween("{devices=[2,2]<=[4]}", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"),
            "all-gather");
  EXPECT_EQ(stepsBetween("{devices=[2,2]<=[4]}", "{replicated}"), "all-gather all-gather");
}

TEST(Reshard, AFullRematerializationIsNamed) {
  // 6 rows in 4 parts of 2 cannot be dealt out to 2 parts of 3 without all rows.
  const SpmdOutcome outcome = copyBetween("{devices=[4,1]<=[4]}", "{devices=[2,2]<=[4]}", "f32[6,6]");
  const auto found = std::ranges::find(outcome.remarks, "full-rematerialization", &Remark::kind);
  ASSERT_NE(found, outcome.remarks.end());
  EXPECT_EQ(found->name, "c");
  EXPECT_THAT(found->message, testing::HasSubstr("involuntary full rematerialization of %"));
  EXPECT_THAT(found->message,
              testing::HasSubstr("from {devices=[4,1]<=[4]} to {devices=[2,2]<=[4]}; model.py:7"));
}

TEST(Reshard, TilesMoveBeforeTheyAreGathered) {
  // A tile goes to where the gathered one is wanted while it is one of four, not of two.
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"),
            "collective-permute all-gather");
  EXPECT_EQ(stepsBetween("{devices=[4,1]<=[4]}", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"),
            "all-gather");
}

TEST(Reshard, ACollectiveSaysForWhomItIs) {
  const SpmdOutcome outcome = copyBetween("{devices=[4,1]<=[4]}", "{replicated}");
  ASSERT_EQ(outcome.remarks.size(), 1);
  EXPECT_EQ(outcome.remarks[0].name, "c");
  EXPECT_EQ(
      outcome.remarks[0].message,
      "%all-gather f32[8,8]: operand 0 of %c, %w from {devices=[4,1]<=[4]} to {replicated}; model.py:7");
}

TEST(Reshard, AModuleThatIsPartitionedStaysAsItIs) {
  const SpmdOutcome once = copyBetween("{devices=[4,1]<=[4]}", "{replicated}");
  const SpmdOutcome twice = partitionAndCompare(once.partitioned, {.passes = "spmd-partitioning"});
  EXPECT_EQ(twice.partitioned, once.partitioned);
  ASSERT_EQ(twice.remarks.size(), 1);
  EXPECT_EQ(twice.remarks[0].kind, "missed");
}

}  // namespace
}  // namespace hilo
