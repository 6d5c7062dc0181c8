// Which collectives operations are given where XLA has a way of its own.
#include <gmock/gmock.h>

#include "tests/support/spmd/partitioned_equals_whole.h"

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SpmdOutcome partitioned(const std::string& body, int devices = 4,
                        std::string_view passes = "spmd-partitioning") {
  auto whole = parseModuleStrictly("HloModule m, num_partitions=" + std::to_string(devices) + "\nENTRY e {" +
                                   body + "}");
  EXPECT_TRUE(whole) << body;
  const SpmdOutcome outcome = partitionAndCompare(*std::move(whole), {.passes = passes});
  EXPECT_FALSE(outcome.refusal) << toString(*outcome.refusal);
  return outcome;
}

std::vector<std::string> collectives(const SpmdOutcome& outcome) {
  std::vector<std::string> moved;
  for (const Remark& remark : outcome.remarks)
    moved.push_back(remark.kind + remark.message.substr(remark.message.find(' '),
                                                        remark.message.find(':') - remark.message.find(' ')));
  return moved;
}

std::vector<std::string> collectivesOfUpdate(const std::string& update, const std::string& start) {
  const SpmdOutcome outcome =
      partitioned("a = f32[16] parameter(0), sharding={devices=[4]<=[4]}\n u = " + update +
                  " parameter(1), sharding={replicated}\n i = s32[] " + start +
                  "\n ROOT r = f32[16] dynamic-update-slice(a, u, i), "
                  "sharding={devices=[4]<=[4]}");
  EXPECT_EQ(outcome.difference, "");
  return collectives(outcome);
}

TEST(PartitionChoices, AnUpdateOfOneDeviceStaysThere) {
  EXPECT_THAT(collectivesOfUpdate("f32[1]", "parameter(2)"), IsEmpty());
  EXPECT_THAT(collectivesOfUpdate("f32[3]", "constant(5)"), IsEmpty());  // of 4..7
}

constexpr const char* kWhole = "replicated %r is computed whole on every device";

TEST(PartitionChoices, AnUpdateThatMayLieOnSeveralGathersTheArray) {
  EXPECT_THAT(collectivesOfUpdate("f32[2]", "parameter(2)"), ElementsAre("all-gather f32[16]", kWhole));
  EXPECT_THAT(collectivesOfUpdate("f32[3]", "constant(6)"), ElementsAre("all-gather f32[16]", kWhole));
}

TEST(PartitionChoices, ByFewestBytesSuchAnArrayStaysCut) {
  const SpmdOutcome outcome = partitioned(R"(a = f32[16] parameter(0), sharding={devices=[4]<=[4]}
    u = f32[2] parameter(1), sharding={replicated}
    i = s32[] parameter(2)
    ROOT r = f32[16] dynamic-update-slice(a, u, i), sharding={devices=[4]<=[4]})",
                                          4, "spmd-partitioning{fewest_bytes=true}");
  EXPECT_EQ(outcome.difference, "");
  EXPECT_THAT(outcome.remarks, IsEmpty());
}

// 10 rows in 2 parts of 5 become 12 in 2 of 6: one row moves, and none for the rows that are added.
TEST(PartitionChoices, OnlyRowsOfTheArrayCrossABorder) {
  const SpmdOutcome outcome = partitioned(R"(a = f32[10,4] parameter(0), sharding={devices=[2,1]<=[2]}
    z = f32[] constant(0)
    ROOT p = f32[12,4] pad(a, z), padding=0_2x0_0, sharding={devices=[2,1]<=[2]})",
                                          2);
  EXPECT_EQ(outcome.difference, "");
  EXPECT_THAT(collectives(outcome), ElementsAre("collective-permute f32[1,4]"));
}

std::string rolled(int size, int by) {
  const std::string tiles = ", sharding={devices=[4,1]<=[4]}\n", n = std::to_string(size),
                    begin = std::to_string(size - by);
  return "p = f32[" + n + ",2] parameter(0)" + tiles + "a = f32[" + std::to_string(by) +
         ",2] slice(p), slice={[" + begin + ":" + n + "], [0:2]}" + tiles + "b = f32[" + begin +
         ",2] slice(p), slice={[0:" + begin + "], [0:2]}" + tiles + "ROOT c = f32[" + n +
         ",2] concatenate(a, b), dimensions={0}" + tiles;
}

TEST(PartitionChoices, ARotationSendsWhatTheNextTileLacks) {
  EXPECT_THAT(collectives(partitioned(rolled(12, 2))), ElementsAre("collective-permute f32[2,2]"));
  for (int size : {8, 9, 10, 11, 12}) {  // whole tiles, and last ones that are short or empty
    for (int by = 1; by < size; ++by) {
      const SpmdOutcome outcome = partitioned(rolled(size, by));
      EXPECT_EQ(outcome.difference, "") << size << " by " << by;
      for (const Remark& remark : outcome.remarks)
        EXPECT_EQ(remark.kind, "collective-permute") << size << " by " << by;
    }
  }
}

constexpr const char* kRotate = R"(p = f32[12] parameter(0), sharding={devices=[4]<=[4]}
    ROOT c = f32[12] custom-call(p), custom_call_target="_SPMDInternalOp_RotateRight", backend_config="$", sharding={devices=[4]<=[4]})";

TEST(PartitionChoices, ACallThatRotates) {
  const auto with = [](std::string_view config) {
    std::string body = kRotate;
    return collectives(partitioned(body.replace(body.find('$'), 1, config)));
  };
  EXPECT_THAT(with("dimension=0,amount=2"), ElementsAre("collective-permute f32[2]"));
  EXPECT_THAT(with("dimension=0,amount=15"), ElementsAre("collective-permute f32[3]"));  // as by 3
  EXPECT_THAT(with("dimension=1,amount=2"), testing::Contains("all-gather f32[12]"));    // no rotation of it
}

constexpr const char* kSolve = R"(a = f32[8,6,6] parameter(0), sharding={devices=[4,1,1]<=[4]}
    c = (f32[8,6,6], f32[8,6], s32[8]) custom-call(a), custom_call_target="cusolver_syevd_ffi", operand_layout_constraints={f32[8,6,6]{2,1,0}}, frontend_attributes={num_batch_dims="1"},
      sharding={{devices=[4,1,1]<=[4]}, {devices=[4,1]<=[4]}, {devices=[4]<=[4]}}
    ROOT w = f32[8,6] get-tuple-element(c), index=1, sharding={devices=[4,1]<=[4]})";

TEST(PartitionChoices, ACallIsCutAlongTheBatchesThatItStates) {
  const SpmdOutcome outcome = partitioned(kSolve);
  EXPECT_THAT(outcome.remarks, IsEmpty());
  const Instruction* call = outcome.partitioned->entry()->root()->operand(0);
  EXPECT_EQ(toString(call->shape().withoutLayout()), "(f32[2,6,6], f32[2,6], s32[2])");
}

TEST(PartitionChoices, ACallThatStatesNoBatchesIsWhole) {
  std::string body = kSolve;
  body.replace(body.find("num_batch_dims"), 14, "something_else");
  EXPECT_THAT(collectives(partitioned(body)), testing::Contains("all-gather f32[8,6,6]"));
}

}  // namespace
}  // namespace hilo
