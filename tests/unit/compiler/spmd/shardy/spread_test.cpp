// How shardings spread: over dots, reshapes, broadcasts and loops, and by priorities. What is expected
// follows from the rule of each operation; XLA's shardy_xla_pass_test asserts the same.
#include "tests/unit/compiler/spmd/shardy/shardy_module.h"

namespace hilo::sdy {
namespace {

TEST(ShardySpread, ADotTakesBatchAndFreeDimensionsOfBothSides) {
  const auto module = spreadModule(moduleText("'a'=2, 'b'=2, 'c'=2", R"(ENTRY e {
    p = f32[8,16,32] parameter(0)@[{'a', ?}, {'b', ?}, {?}]
    q = f32[8,64,32] parameter(1)@[{'a', ?}, {'c', ?}, {?}]
    ROOT d = f32[8,16,64] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2} })",
                                              8));
  EXPECT_EQ(shardingOf(*module, "d"), "{devices=[2,2,2]<=[8]}");
  EXPECT_EQ(shardingOf(*module, "p"), "{devices=[2,2,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(shardingOf(*module, "q"), "{devices=[2,2,1,2]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}");
}

TEST(ShardySpread, WhereTwoFactorsWantOneAxisTheLargerSourceWins) {
  // Both operands cut their free dimension by "a"; p is larger.
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[256,512] parameter(0)@[{'a'}, {}]
    q = f32[128,512] parameter(1)@[{'a'}, {}]
    ROOT d = f32[256,128] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1} })",
                                              2));
  EXPECT_EQ(shardingOf(*module, "d"), "{devices=[2,1]<=[2]}");
}

TEST(ShardySpread, BasicTakesOnlyWhatGoesWithEveryArray) {
  const std::string text = moduleText("'a'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{'a', ?}, {?}]
    q = f32[8,8] parameter(1)@[{?}, {'a', ?}]
    ROOT s = f32[8,8] add(p, q) })",
                                      2);
  EXPECT_EQ(shardingOf(*spreadModule(text, {.isBasic = true}), "s"), "");
  EXPECT_EQ(shardingOf(*spreadModule(text), "s"), "{devices=[2,1]<=[2]}");
}

TEST(ShardySpread, AReshapeSplitsAnAxis) {
  // 8 = 2 x 4: of "a", 4 devices, the outer half cuts the 2, the inner half the 4.
  const auto module = spreadModule(moduleText("'a'=4", R"(ENTRY e {
    p = f32[8] parameter(0)@[{'a'}]
    ROOT r = f32[2,4] reshape(p) })",
                                              4));
  EXPECT_EQ(shardingOf(*module, "r"), "{devices=[2,2]<=[4]}");
}

TEST(ShardySpread, BroadcastsGiveForwardLast) {
  // The sum takes "a" from q on dimension 0 before the broadcast of p gives it "a" on dimension 1.
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8] parameter(0)@[{'a', ?}]
    q = f32[8,8] parameter(1)@[{'a', ?}, {?}]
    b = f32[8,8] broadcast(p), dimensions={1}
    ROOT s = f32[8,8] add(b, q) })",
                                              2));
  EXPECT_EQ(shardingOf(*module, "s"), "{devices=[2,1]<=[2]}");
}

TEST(ShardySpread, AConstantIsOneForEachUser) {
  const auto module = spreadModule(moduleText("'a'=2, 'b'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{'a'}, {'b'}]
    c = f32[] constant(3)
    w = f32[8,16] broadcast(c), dimensions={}
    d = f32[8,8] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    ROOT s = f32[8,8] add(p, d) })",
                                              4));
  const Instruction* dot = module->findInstruction("d");
  EXPECT_EQ(shardingOf(*module, dot->operand(0)->name()), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(shardingOf(*module, dot->operand(1)->name()),
            "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
}

TEST(ShardySpread, PrioritiesComeOneAfterTheOther) {
  // Without priority p's dimension 0 and q's dimension 1 both want "a" first; p waits for round 1.
  const auto module = spreadModule(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8,8] parameter(0)@[{'a', ?}p1, {?}]
    q = f32[8,8] parameter(1)@[{?}, {'a', ?}]
    ROOT s = f32[8,8] add(p, q) })",
                                              2));
  EXPECT_EQ(shardingOf(*module, "s"), "{devices=[1,2]<=[2]}");
}

TEST(ShardySpread, ALoopHasOneShardingAndMayCutWhatItOnlyReads) {
  const auto module = spreadModule(moduleText("'a'=2, 'b'=2", R"(body {
    t = (f32[32,96], s32[], f32[32,96]) parameter(0)
    x = f32[32,96] get-tuple-element(t), index=0
    k = f32[32,96] get-tuple-element(t), index=2
    i = s32[] get-tuple-element(t), index=1
    one = s32[] constant(1)
    j = s32[] add(i, one)
    y = f32[32,96] add(x, k)
    ROOT r = (f32[32,96], s32[], f32[32,96]) tuple(y, j, k) }
  cond {
    t = (f32[32,96], s32[], f32[32,96]) parameter(0)
    i = s32[] get-tuple-element(t), index=1
    n = s32[] constant(4)
    ROOT c = pred[] compare(i, n), direction=LT }
  ENTRY e {
    p = f32[32,96] parameter(0)@[{'a'}, {'b'}]
    q = f32[32,96] parameter(1)@[{'a'}, {}]
    z = s32[] constant(0)
    s = (f32[32,96], s32[], f32[32,96]) tuple(p, z, q)
    w = (f32[32,96], s32[], f32[32,96]) while(s), condition=cond, body=body
    ROOT g = f32[32,96] get-tuple-element(w), index=0 })",
                                              4));
  EXPECT_EQ(shardingOf(*module, "q"), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(shardingOf(*module, "w"), "{{devices=[2,2]<=[4]}, {replicated}, {devices=[2,2]<=[4]}}");
}

TEST(ShardySpread, InputsAndResultsAreCutEvenly) {
  const auto module = spreadModule(moduleText("'a'=4", R"(ENTRY e {
    p = f32[6] parameter(0)@[{'a'}]
    ROOT n = f32[6] negate(p) })",
                                              4));
  EXPECT_EQ(shardingOf(*module, "p"), "{devices=[2,2]<=[4] last_tile_dim_replicate}");
}

TEST(ShardySpread, AxesOfOneDeviceAreInNobodysWay) {
  const auto module = spreadModule(moduleText("'one'=1, 'a'=2, 'b'=2", R"(ENTRY e {
    p = f32[8] parameter(0)@[{'one', 'a', ?}]
    q = f32[8] parameter(1)@[{'a', 'b', ?}]
    ROOT s = f32[8] add(p, q) })",
                                              4));
  EXPECT_EQ(shardingOf(*module, "s"), "{devices=[4]<=[4]}");
}

TEST(ShardySpread, DevicesOfAMeshInAnotherOrder) {
  const auto module = spreadModule(moduleText("'a'=4], device_ids=[3, 2, 1, 0", R"(ENTRY e {
    p = f32[8] parameter(0)@[{'a'}]
    ROOT n = f32[8] negate(p) })",
                                              4));
  EXPECT_EQ(shardingOf(*module, "n"), "{devices=[4]3,2,1,0}");
}

TEST(ShardySpread, EachDecisionSaysWhoGaveWhat) {
  auto parsed = parseModuleStrictly(moduleText("'a'=2", R"(ENTRY e {
    p = f32[8] parameter(0)@[{'a'}]
    ROOT n = f32[8] negate(p) })",
                                               2));
  const auto decisions = spreadShardy(*(*parsed)->clone());
  ASSERT_TRUE(decisions.has_value());
  ASSERT_FALSE(decisions->empty());
  const ShardingDecision& first = decisions->front();
  EXPECT_EQ(first.name, "n");
  EXPECT_EQ(first.neighbour, "p");
  EXPECT_EQ(first.rule, "negate factor 0");
  EXPECT_EQ(first.sharding, "[{\"a\", ?}]");
  EXPECT_EQ(first.direction, ShardingDecision::Direction::FromOperand);
}

}  // namespace
}  // namespace hilo::sdy
