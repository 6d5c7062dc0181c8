// Loops, branches, calls, tuples and manual regions over 2 to 8 devices compute what they do whole.
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

TEST(PartitionControl, ALoopOverATuple) {
  EXPECT_TRUE(partitionedEqualsWhole(R"(HloModule m, num_partitions=4
condition { s = (s32[], f32[8,8], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[8,8], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[8,8] get-tuple-element(s), index=1
  w = f32[8,8] get-tuple-element(s), index=2
  d = f32[8,8] dot(v, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[] constant(2)
  b = f32[8,8] broadcast(h), dimensions={}
  r = f32[8,8] remainder(d, b)
  ROOT t = (s32[], f32[8,8], f32[8,8]) tuple(next, r, w) }
ENTRY e { v = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}
  w = f32[8,8] parameter(1), sharding={devices=[2,2]<=[4]}
  z = s32[] constant(0)
  t = (s32[], f32[8,8], f32[8,8]) tuple(z, v, w)
  l = (s32[], f32[8,8], f32[8,8]) while(t), condition=condition, body=body
  ROOT r = f32[8,8] get-tuple-element(l), index=1 })"));
}

TEST(PartitionControl, ABranchOfTwo) {
  EXPECT_TRUE(partitionedEqualsWhole(R"(HloModule m, num_partitions=2
left { a = f32[6,4] parameter(0)
  ROOT n = f32[6,4] negate(a) }
right { b = f32[6,4] parameter(0)
  ROOT s = f32[6,4] add(b, b) }
ENTRY e { p = pred[] parameter(0)
  v = f32[6,4] parameter(1), sharding={devices=[2,1]<=[2]}
  w = f32[6,4] parameter(2), sharding={devices=[1,2]<=[2]}
  ROOT c = f32[6,4] conditional(p, v, w), true_computation=left, false_computation=right })"));
}

TEST(PartitionControl, ACallKeepsItsSharding) {
  EXPECT_TRUE(partitionedEqualsWhole(R"(HloModule m, num_partitions=8
twice { a = f32[16] parameter(0)
  ROOT n = f32[16] add(a, a) }
ENTRY e { p = f32[16] parameter(0), sharding={devices=[8]<=[8]}
  c = f32[16] call(p), to_apply=twice
  ROOT d = (f32[16], f32[16]) tuple(c, p), sharding={{replicated}, {devices=[4,2]<=[8] last_tile_dim_replicate}} })"));
}

TEST(PartitionControl, AManualRegionRunsOnParts) {
  // Whole: each half is doubled. The manual part sees four of the eight elements.
  auto module = parseModuleStrictly(R"(HloModule m, num_partitions=2
ENTRY e { p = f32[8] parameter(0), sharding={devices=[2]<=[2]}
  s = f32[8] custom-call(p), custom_call_target="Sharding", sharding={devices=[2]<=[2]}
  in = f32[4] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
  d = f32[4] add(in, in), sharding={manual}
  m = f32[4] custom-call(d), custom_call_target="Sharding", sharding={manual}
  ROOT out = f32[8] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]} })");
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  const PassRun run =
      runPasses(*std::move(module), *parsePassList("sharding-propagation,spmd-partitioning,dce"), {});
  ASSERT_TRUE(run.completed()) << toString(run.steps.back().problems[0]);
  EXPECT_EQ(run.output()->entry()->root()->shape(), Shape::array(ElementType::F32, {4}));
  for (const Instruction* i : run.output()->entry()->instructions())
    EXPECT_NE(opcodeClass(i->opcode()), OpcodeClass::Collective) << i->name();
}

TEST(PartitionControl, QueuesGiveAndTakeParts) {
  auto whole = parseModuleStrictly(R"(HloModule m, num_partitions=4
    ENTRY e { t = token[] after-all()
      i = (f32[8], token[]) infeed(t), sharding={{devices=[4]<=[4]}, {replicated}}
      d = f32[8] get-tuple-element(i), index=0, sharding={devices=[4]<=[4]}
      u = token[] get-tuple-element(i), index=1, sharding={replicated}
      ROOT o = token[] outfeed(d, u), outfeed_shape=f32[8], sharding={devices=[4]<=[4]} })");
  ASSERT_TRUE(whole);
  const SpmdOutcome outcome =
      partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)), {.passes = "spmd-partitioning"});
  ASSERT_FALSE(outcome.refusal) << toString(*outcome.refusal);
  const Instruction* outfeed = outcome.partitioned->entry()->root();
  EXPECT_EQ(toString(outfeed->operand(0)->shape().withoutLayout()), "f32[2]");
  EXPECT_EQ(toString(outfeed->get<Attr::OutfeedShape>()->withoutLayout()), "f32[2]");
}

}  // namespace
}  // namespace hilo
