// Constraints, groups, barriers and marks of results, as JAX leaves them in HLO.
#include <gmock/gmock.h>

#include "tests/support/spmd/partitioned_equals_whole.h"
#include "tests/unit/compiler/spmd/shardy/shardy_module.h"

namespace hilo::sdy {
namespace {

using testing::HasSubstr;

TEST(ShardyStatements, AClosedConstraintHoldsForItsOperandToo) {
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8] parameter(0)
    n = f32[8] negate(p)
    c = f32[8] custom-call(n), custom_call_target="Sharding"@[{'a'}]
    ROOT m = f32[8] negate(c) })",
                                              2));
  EXPECT_EQ(shardingOf(*module, "n"), "{devices=[2]<=[2]}");
  EXPECT_EQ(module->findInstruction("c")->opcode(), Opcode::Copy);
}

TEST(ShardyStatements, ConstraintsThatDisagreeLeaveTheirOperand) {
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)
    c = f32[8,8] custom-call(p), custom_call_target="Sharding"@[{'a'}, {}]
    d = f32[8,8] custom-call(p), custom_call_target="Sharding"@[{}, {'a'}]
    ROOT s = f32[8,8] dot(c, d), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                                              2));
  EXPECT_EQ(shardingOf(*module, "c"), "{devices=[2,1]<=[2]}");
  EXPECT_EQ(shardingOf(*module, "d"), "{devices=[1,2]<=[2]}");
  EXPECT_EQ(shardingOf(*module, "p"), "{devices=[2,1]<=[2]}");  // of the first user that gives it one
}

TEST(ShardyStatements, AMarkedResultIsOnlyTheResults) {
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{}, {}]
    n = f32[8,8] negate(p)
    r = f32[8,8] custom-call(n), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true@[{'a'}, {}]
    ROOT t = (f32[8,8]) tuple(r) })",
                                              2));
  EXPECT_EQ(module->findInstruction("r"), nullptr);
  EXPECT_EQ(shardingOf(*module, "p"), "{replicated}");
  EXPECT_EQ(shardingOf(*module, "n"), "{devices=[2,1]<=[2]}");
  EXPECT_EQ(shardingOf(*module, "t"), "{{devices=[2,1]<=[2]}}");
}

// As after Shardy's insert-explicit-reshards and reshard-to-collectives.
std::string collectiveOf(const std::string& target, const std::string& sharding) {
  return moduleText("'a'=2",
                    R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{'a'}, {}]
    c = f32[8,8] custom-call(p), custom_call_target="xla.sdy.)" +
                        target + "\", frontend_attributes={" + sharding + R"(}
    ROOT r = f32[8,8] negate(c) })",
                    2);
}
std::string outSharding(const std::string& dimensions) {
  return "xla.sdy.out_sharding=\"#sdy.sharding_per_value<[<@mesh, " + dimensions + ">]>\"";
}

TEST(ShardyStatements, ACollectiveOfShardySaysHowItsArrayLies) {
  for (const auto& [target, dimensions, expected] :
       {std::tuple("AllGather", "[{}, {}]", "{replicated}"),
        std::tuple("AllToAll", R"([{}, {\"a\"}])", "{devices=[1,2]<=[2]}"),
        std::tuple("AllReduce", R"([{\"a\"}, {}])", "{devices=[2,1]<=[2]}"),
        std::tuple("ReplicatedToUnreduced", R"([{}, {}], unreduced={\"a\"})", "{unreduced}")}) {
    const auto module = spreadModule(collectiveOf(target, outSharding(dimensions)));
    EXPECT_EQ(shardingOf(*module, "p"), "{devices=[2,1]<=[2]}") << target;
    EXPECT_EQ(shardingOf(*module, "c"), expected) << target;
    EXPECT_EQ(module->findInstruction("c")->opcode(), Opcode::Copy) << target;
  }
}

TEST(ShardyStatements, ACollectiveOfShardyMovesItsArray) {
  const std::string text = collectiveOf("AllToAll", outSharding(R"([{}, {\"a\"}])"));
  SpmdCheck check;
  check.passes = "shardy-xla,spmd-partitioning";
  const auto parsed = parseModuleStrictly(text);
  ASSERT_TRUE(parsed) << toString(parsed.error());
  const SpmdOutcome outcome = partitionAndCompare(std::shared_ptr<const Module>((*parsed)->clone()), check);
  ASSERT_FALSE(outcome.refusal) << toString(*outcome.refusal);
  EXPECT_THAT(printModule(*outcome.partitioned), HasSubstr("all-to-all("));
}

TEST(ShardyStatements, ACollectiveOfShardyWithoutItsShardingIsRefused) {
  EXPECT_EQ(refusalOf(collectiveOf("AllGather", "xla.sdy.x=\"y\"")).kind, "sharding-invalid");
}

std::string groupOf(const std::string& first, const std::string& second,
                    const std::string& shape = "f32[8,8]") {
  return moduleText("'a'=2",
                    "ENTRY e {\n p = f32[8,8] parameter(0)" + first + "\n q = " + shape + " parameter(1)" +
                        second + R"(
    g = () custom-call(p), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="7 : i64"}
    h = () custom-call(q), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="7 : i64"}
    n = f32[8,8] negate(p)
    ROOT t = (f32[8,8], )" +
                        shape + ") tuple(n, q) }",
                    2);
}

TEST(ShardyStatements, MembersOfAGroupEndUpAlike) {
  const auto module = spreadModule(groupOf("@[{'a'}, {}]", ""));
  EXPECT_EQ(shardingOf(*module, "q"), "{devices=[2,1]<=[2]}");
}

TEST(ShardyStatements, GroupsThatContradictAreRefused) {
  const Diagnostic refusal = refusalOf(groupOf("@[{'a'}, {}]", "@[{}, {'a'}]"));
  EXPECT_EQ(refusal.kind, "shard-group-mismatch");
  EXPECT_EQ(refusal.place.instruction, "q");
  EXPECT_THAT(refusal.message, HasSubstr("\"a\""));
  EXPECT_EQ(refusalOf(groupOf("", "", "f32[4]")).kind, "shard-group-mismatch");
}

TEST(ShardyStatements, ABarrierStopsOneDirection) {
  const auto barrier = [](const char* direction) {
    return moduleText("'a'=2",
                      std::string(R"(ENTRY e {
    p = f32[8] parameter(0)@[{'a'}]
    n = f32[8] negate(p)
    b = f32[8] custom-call(n), custom_call_target="xla.sdy.PropagationBarrier", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.allowed_direction=")") +
                          direction + R"( : i32"}
    ROOT m = f32[8] negate(b) })",
                      2);
  };
  EXPECT_EQ(shardingOf(*spreadModule(barrier("1")), "m"), "{devices=[2]<=[2]}");
  EXPECT_EQ(shardingOf(*spreadModule(barrier("2")), "m"), "");
  EXPECT_EQ(spreadModule(barrier("2"))->findInstruction("b"), nullptr);
}

TEST(ShardyStatements, AProgramsOwnRule) {
  const auto module = spreadModule(
      "HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2]>}}\n"
      "ENTRY e { p = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
      "[{\\\"a\\\"}, {}]>\"}\n ROOT c = f32[4,8] custom-call(p), custom_call_target=\"mine\", "
      "frontend_attributes={xla.sdy.sharding_rule=\"#sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, "
      "custom>\"} }");
  EXPECT_EQ(shardingOf(*module, "c"), "{devices=[1,2]<=[2]}");
}

TEST(ShardyStatements, ConstraintsOfGspmdAreRefused) {
  const Diagnostic refusal = refusalOf(
      "HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2]>}}\n"
      "ENTRY e { p = f32[8] parameter(0)\n ROOT c = f32[8] custom-call(p), custom_call_target=\"Sharding\", "
      "sharding={devices=[2]<=[2]} }");
  EXPECT_EQ(refusal.kind, "shardy-unsupported");
  EXPECT_EQ(refusal.place.instruction, "c");
}

TEST(ShardyStatements, WhatShardySpreadGspmdLeaves) {
  // p waits for round 1, when "a" is taken on the other dimension: the sum keeps less tiles than p has.
  const std::string text = moduleText("'a'=2, 'b'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{'a', 'b'}p1, {}]
    q = f32[8,8] parameter(1)@[{?}, {'a'}]
    ROOT s = f32[8,8] add(p, q) })",
                                      4);
  auto parsed = parseModuleStrictly(text);
  ASSERT_TRUE(parsed.has_value());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  const auto both = partitionAndCompare(module, {.passes = "shardy-xla,sharding-propagation"});
  ASSERT_FALSE(both.refusal.has_value()) << toString(*both.refusal);
  EXPECT_EQ(printModule(*both.partitioned), printModule(*spreadModule(text)));
  EXPECT_EQ(both.partitioned->get<Attr::FrontendAttributes>()[0].name, "shardings_spread_by");
  const SpmdCheck check{.passes = "shardy-xla,sharding-propagation,spmd-partitioning"};
  EXPECT_TRUE(partitionedEqualsWhole(text, check));
}

}  // namespace
}  // namespace hilo::sdy
