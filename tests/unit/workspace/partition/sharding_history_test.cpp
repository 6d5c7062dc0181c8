// Back from an instruction to the annotation that its sharding began with.
#include "core/workspace/partition/sharding_history.h"

#include <gmock/gmock.h>

#include "core/workspace/partition/advice.h"
#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

using testing::ElementsAre;

std::vector<std::string> namesOf(const Partitioning& partitioning, const char* name) {
  const auto steps = shardingHistory(partitioning, name);
  EXPECT_TRUE(steps) << name;
  std::vector<std::string> names;
  for (const ShardingStep& step : steps ? *steps : std::vector<ShardingStep>()) names.push_back(step.at.name);
  return names;
}

TEST(ShardingHistory, EndsAtTheAnnotation) {
  const auto made = partitioningOf({.module = shardedModule()});
  EXPECT_THAT(namesOf(*made, "v"), ElementsAre("v", "w"));
  EXPECT_THAT(namesOf(*made, "r"), ElementsAre("r"));
  const auto steps = shardingHistory(*made, "v");
  EXPECT_EQ(steps->back().at.rule, "stated by the module");
  EXPECT_EQ(steps->back().gave, "{devices=[4,1]<=[4]}");
}

TEST(ShardingHistory, GoesThroughALoopByTheVeryElement) {
  const auto made = partitioningOf({.module = shardedModule(R"(HloModule m, num_partitions=4
body {
  s = (s32[], f32[16,8], f32[16,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[16,8] get-tuple-element(s), index=1
  b = f32[16,8] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sum = f32[16,8] add(a, b)
  ROOT t = (s32[], f32[16,8], f32[16,8]) tuple(next, sum, b)
}
cond {
  c.s = (s32[], f32[16,8], f32[16,8]) parameter(0)
  c.i = s32[] get-tuple-element(c.s), index=0
  n = s32[] constant(5)
  ROOT go = pred[] compare(c.i, n), direction=LT
}
ENTRY e {
  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}
  y = f32[16,8] parameter(1), sharding={devices=[4,1]<=[4]}
  zero = s32[] constant(0)
  start = (s32[], f32[16,8], f32[16,8]) tuple(zero, x, y)
  loop = (s32[], f32[16,8], f32[16,8]) while(start), condition=cond, body=body
  ROOT r = f32[16,8] get-tuple-element(loop), index=1
}
)")});
  ASSERT_NE(made, nullptr);
  EXPECT_THAT(namesOf(*made, "b"), ElementsAre("b", "s", "start", "y"));
  EXPECT_EQ(shardingHistory(*made, "b")->at(1).gave, "{devices=[4,1]<=[4]}");
}

TEST(ShardingHistory, AnUnknownNameIsAnError) {
  const auto made = partitioningOf({.module = shardedModule()});
  EXPECT_EQ(shardingHistory(*made, "nobody").error().kind, "no-such-instruction");
  const auto again = partitioningOf({.module = made->local});
  EXPECT_EQ(shardingHistory(*again, "r").error().kind, "not-sharded");
}

TEST(ShardingAdvice, EachCanBeTried) {
  const auto made = partitioningOf({.module = shardedModule()});
  const auto advice = adviceFor(*made, made->collectives[0]);
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].constraint, (ShardingConstraint{"d", "{replicated}"}));
  EXPECT_EQ(advice[1].constraint, (ShardingConstraint{"v", "{replicated}"}));
  EXPECT_EQ(advice[1].code, "model.py:3: x = jax.lax.with_sharding_constraint(x, P(None, None))");
  for (const ShardingAdvice& one : advice)
    EXPECT_NE(partitioningOf({.module = shardedModule(), .constraints = {one.constraint}}), nullptr)
        << one.text;
}

TEST(ShardingAdvice, ASumIsKeptInPartsAndWorkIsShared) {
  const auto made = partitioningOf({.module = shardedModule(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[16,4096] parameter(0), sharding={devices=[1,4]<=[4]}
  w = f32[4096,32] parameter(1), sharding={devices=[4,1]<=[4]}
  ROOT d = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
}
)")});
  ASSERT_EQ(made->collectives.size(), 1u);
  EXPECT_EQ(made->collectives[0].kind, "all-reduce");
  const auto advice = adviceFor(*made, made->collectives[0]);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].constraint, (ShardingConstraint{"d", "{devices=[1,4]<=[4]}"}));
}

TEST(ShardingAdvice, ShardingsAlongAxesAreWrittenByTheMesh) {
  const DeviceMesh mesh{.name = "m", .axes = {{"a", 2}, {"b", 4}}, .devices = {0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(shardingAlong(mesh, {{"a"}, {"b"}}), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(shardingAlong(mesh, {{"b"}, {}}), "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(shardingAlong(mesh, {{}, {}}), "{replicated}");
  EXPECT_EQ(shardingAlong(mesh, {{"c"}}), "");
  EXPECT_EQ(shardingAlong(mesh, {{"a"}, {"a"}}), "");
  EXPECT_EQ(shardingAlong(mesh, {{"a", "b"}, {}}), "{devices=[8,1]<=[8]}");
}

}  // namespace
}  // namespace hilo
