// What a partitioning says of a module whose collectives can be worked out by hand.
#include "core/workspace/partition/partition.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/workspace/partition/partition_json.h"
#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Partition, SaysWhatMadeAGatherNecessary) {
  const auto made = partitioningOf({.module = shardedModule()});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(meshText(made->mesh), "data 4");
  ASSERT_EQ(made->collectives.size(), 1u);
  const PartitionCollective& gather = made->collectives[0];
  EXPECT_EQ(gather.kind, "all-gather");
  EXPECT_EQ(gather.bytes, 8 * 32 * 4);
  EXPECT_EQ(gather.times, 1);
  EXPECT_EQ(gather.groupSize, 4);
  EXPECT_THAT(gather.axes, ElementsAre("data"));
  EXPECT_GT(gather.ns, 0);
  ASSERT_TRUE(gather.cause);
  EXPECT_EQ(gather.cause->producer.name, "v");
  EXPECT_EQ(gather.cause->producer.source, "model.py:3");
  EXPECT_EQ(gather.cause->producer.rule, "from operand %w by negate");
  EXPECT_EQ(gather.cause->consumer.name, "d");
  EXPECT_EQ(gather.cause->consumer.rule, "stated by the module");
  EXPECT_EQ(gather.cause->from, "{devices=[4,1]<=[4]}");
  EXPECT_EQ(gather.cause->to, "{replicated}");
  EXPECT_THAT(gather.cause->lostAxes, ElementsAre("data"));
  EXPECT_EQ(gather.cause->text,
            "%v is cut in dimension 0 along data, %d needs it whole; data cuts dimension 0 of %d, stated by "
            "the module");
}

TEST(Partition, ReshardsJoinTheCollectivesOfOneMove) {
  const auto made = partitioningOf({.module = shardedModule()});
  ASSERT_EQ(made->reshards.size(), 1u);
  EXPECT_THAT(made->reshards[0].collectives, ElementsAre(0u));
  EXPECT_EQ(made->reshards[0].bytes, 1024);
}

TEST(Partition, ArraysSayWhatADeviceHolds) {
  const auto made = partitioningOf({.module = shardedModule()});
  const auto x = std::ranges::find(made->arrays, "x", &ShardedArray::name);
  ASSERT_NE(x, made->arrays.end());
  EXPECT_EQ(x->wholeBytes, 512);
  EXPECT_EQ(x->partBytes, 128);
  EXPECT_EQ(x->copies, 1);
  EXPECT_EQ(x->axes, "dimension 0 along data");
}

TEST(Partition, WorkThatEveryDeviceDoesIsNamedWithItsShares) {
  const auto made = partitioningOf({.module = shardedModule(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[4096,4096] parameter(0), sharding={replicated}
  y = f32[4096,4096] parameter(1), sharding={devices=[4,1]<=[4]}
  d = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
  e = f32[4096,4096] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]}
  ROOT r = (f32[4096,4096], f32[4096,4096]) tuple(d, e)
}
)")});
  ASSERT_EQ(made->replications.size(), 1u);
  const Replication& dot = made->replications[0];
  EXPECT_EQ(dot.name, "d");
  EXPECT_EQ(dot.shares, 4);
  EXPECT_EQ(dot.of, 4);
  EXPECT_EQ(dot.text, "each device computes all 4 shares of this dot");
}

TEST(Partition, AConstraintChangesWhereTheValueLies) {
  const auto made =
      partitioningOf({.module = shardedModule(), .constraints = {{"v", "{devices=[1,4]<=[4]}"}}});
  ASSERT_NE(made, nullptr);
  for (const PartitionCollective& row : made->collectives) EXPECT_TRUE(row.cause) << row.name;
  EXPECT_NE(made->series.steps.end(),
            std::ranges::find(made->series.steps, "constraints", &SeriesStep::name));
  const Instruction* v = made->spread->findInstruction("v");
  ASSERT_EQ(v->users().size(), 1u);
  EXPECT_EQ(v->users()[0]->opcode(), Opcode::Copy);
}

TEST(Partition, WrongConstraintsAreErrors) {
  const auto kindOf = [](const char* name, const char* sharding) {
    const auto made =
        makePartitioning({.module = shardedModule(), .constraints = {{name, sharding}}}, JobContext());
    return made ? std::string() : made.error().kind;
  };
  EXPECT_EQ(kindOf("nobody", "{replicated}"), "no-such-instruction");
  EXPECT_EQ(kindOf("v", "{manual}"), "bad-constraint");
  EXPECT_EQ(kindOf("v", "{devices=[4]<=[4]}"), "bad-constraint");
  EXPECT_EQ(kindOf("v", "{devices=[8,1]<=[8]}"), "bad-constraint");
  EXPECT_NE(kindOf("v", "{devices="), "");
}

TEST(Partition, WhatHasNothingToPartitionSaysSo) {
  const auto made = makePartitioning(
      {.module = shardedModule("HloModule m\nENTRY e { ROOT p = f32[8] parameter(0) }\n")}, JobContext());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, "not-sharded");
}

TEST(Partition, AModuleThatWasPartitionedIsLookedAt) {
  const auto first = partitioningOf({.module = shardedModule()});
  const auto again = partitioningOf({.module = first->local});
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->spread, nullptr);
  ASSERT_EQ(again->collectives.size(), 1u);
  EXPECT_FALSE(again->collectives[0].cause);
  EXPECT_THAT(again->collectives[0].axes, ElementsAre("axis_0"));
}

TEST(Partition, JsonHasKindBytesAndCause) {
  const nlohmann::json json = partitioningJson(*partitioningOf({.module = shardedModule()}));
  EXPECT_EQ(json["mesh"]["axes"][0]["name"], "data");
  const nlohmann::json& gather = json["collectives"][0];
  EXPECT_EQ(gather["kind"], "all-gather");
  EXPECT_EQ(gather["bytes"], 1024);
  EXPECT_EQ(gather["cause"]["consumer"]["source"], "model.py:4");
  EXPECT_EQ(json["reshards"].size(), 1u);
  EXPECT_TRUE(json["fullRematerializations"].empty());
}

}  // namespace
}  // namespace hilo
