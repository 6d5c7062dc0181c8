// How shardings pass each kind of operation, a small module a row: what one instruction has when they have
// spread over 4 devices. As XLA's sharding_propagation_test states it, in modules of Hilo's own.
#include <gtest/gtest.h>

#include "core/compiler/spmd/sharding_propagation.h"
#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

struct PropagationRow {
  const char* name;
  const char* instruction;
  const char* expected;
  const char* body;         // of the entry, or whole computations with "ENTRY e {"
  const char* header = "";  // more of the header
};

constexpr PropagationRow kRows[] = {
    {"ElementwiseForward", "n", "{devices=[4,1]<=[4]}", R"(
  p = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}
  n = f32[8,8] negate(p)
  ROOT r = f32[8,8] copy(n))"},
    {"ElementwiseBackward", "n", "{devices=[1,4]<=[4]}", R"(
  p = f32[8,8] parameter(0)
  n = f32[8,8] negate(p)
  ROOT r = f32[8,8] exponential(n), sharding={devices=[1,4]<=[4]})"},
    {"PartlyReplicatedOnesMerge", "s", "{devices=[2,2]<=[4]}", R"(
  a = f32[8,8] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  b = f32[8,8] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  s = f32[8,8] add(a, b)
  ROOT r = f32[8,8] copy(s))"},
    {"DotKeepsItsFreeDimensions", "d", "{devices=[2,2]<=[4]}", R"(
  a = f32[8,16] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  b = f32[16,8] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[8,8] copy(d))"},
    {"DotDropsWhatItSumsOver", "d", "{replicated}", R"(
  a = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}
  b = f32[16,8] parameter(1), sharding={devices=[4,1]<=[4]}
  d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[8,8] copy(d))"},
    {"DotBatch", "d", "{devices=[4,1,1]<=[4]}", R"(
  a = f32[8,4,16] parameter(0), sharding={devices=[4,1,1]<=[4]}
  b = f32[8,16,4] parameter(1)
  d = f32[8,4,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT r = f32[8,4,4] copy(d))"},
    {"DotBackwardToItsOperand", "n", "{devices=[4,1]<=[4]}", R"(
  a = f32[8,16] parameter(0)
  n = f32[8,16] negate(a)
  b = f32[16,8] parameter(1)
  ROOT d = f32[8,8] dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]})"},
    {"TransposeForward", "t", "{devices=[1,4]<=[4]}", R"(
  p = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}
  t = f32[16,8] transpose(p), dimensions={1,0}
  ROOT r = f32[16,8] copy(t))"},
    {"BroadcastForward", "b", "{devices=[1,4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  b = f32[16,8] broadcast(p), dimensions={1}
  ROOT r = f32[16,8] copy(b))"},
    {"BroadcastBackward", "n", "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", R"(
  p = f32[8] parameter(0)
  n = f32[8] negate(p)
  b = f32[16,8] broadcast(n), dimensions={1}
  ROOT r = f32[16,8] copy(b), sharding={devices=[2,2]<=[4]})"},
    {"ReshapeSplits", "s", "{devices=[4,1,1]<=[4]}", R"(
  p = f32[16,3] parameter(0), sharding={devices=[4,1]<=[4]}
  s = f32[8,2,3] reshape(p)
  ROOT r = f32[8,2,3] copy(s))"},
    {"ReshapeJoins", "s", "{devices=[4]<=[4]}", R"(
  p = f32[8,2] parameter(0), sharding={devices=[4,1]<=[4]}
  s = f32[16] reshape(p)
  ROOT r = f32[16] copy(s))"},
    {"ReduceKeepsTheOthers", "s", "{devices=[4]<=[4]}", R"(
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  p = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}
  zero = f32[] constant(0)
  s = f32[8] reduce(p, zero), dimensions={1}, to_apply=add
  ROOT r = f32[8] copy(s)
})"},
    {"ReduceDropsItsOwn", "s", "{devices=[2,2]<=[4] last_tile_dim_replicate}", R"(
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  p = f32[8,16] parameter(0), sharding={devices=[2,2]<=[4]}
  zero = f32[] constant(0)
  s = f32[8] reduce(p, zero), dimensions={1}, to_apply=add
  ROOT r = f32[8] copy(s)
})"},
    {"SliceOfAWholeDimension", "s", "{devices=[4,1]<=[4]}", R"(
  p = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}
  s = f32[8,4] slice(p), slice={[0:8], [2:6]}
  ROOT r = f32[8,4] copy(s))"},
    {"PadForward", "s", "{devices=[4,1]<=[4]}", R"(
  p = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}
  zero = f32[] constant(0)
  s = f32[8,18] pad(p, zero), padding=0_0x1_1
  ROOT r = f32[8,18] copy(s))"},
    {"DynamicSliceOfOthers", "s", "{devices=[1,4]<=[4]}", R"(
  p = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  s = f32[2,16] dynamic-slice(p, i, zero), dynamic_slice_sizes={2,16}
  ROOT r = f32[2,16] copy(s))"},
    {"DynamicUpdateSliceIsAsItsArray", "s", "{devices=[1,4]<=[4]}", R"(
  p = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}
  u = f32[2,16] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  s = f32[8,16] dynamic-update-slice(p, u, i, zero)
  ROOT r = f32[8,16] copy(s))"},
    {"ConcatenateAlongAnother", "c", "{devices=[4,1]<=[4]}", R"(
  a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  b = f32[8,6] parameter(1), sharding={devices=[4,1]<=[4]}
  c = f32[8,10] concatenate(a, b), dimensions={1}
  ROOT r = f32[8,10] copy(c))"},
    {"GatherOfWholeRows", "g", "{devices=[1,4]<=[4]}", R"(
  t = f32[32,8] parameter(0), sharding={devices=[1,4]<=[4]}
  i = s32[5,1] parameter(1)
  g = f32[5,8] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
  ROOT r = f32[5,8] copy(g))"},
    {"GatherByIndices", "g", "{devices=[4,1]<=[4]}", R"(
  t = f32[32,8] parameter(0)
  i = s32[8,1] parameter(1), sharding={devices=[4,1]<=[4]}
  g = f32[8,8] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
  ROOT r = f32[8,8] copy(g))"},
    {"ScatterIsAsItsArray", "s", "{devices=[1,4]<=[4]}", R"(
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  t = f32[32,8] parameter(0), sharding={devices=[1,4]<=[4]}
  i = s32[5,1] parameter(1)
  u = f32[5,8] parameter(2)
  s = f32[32,8] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  ROOT r = f32[32,8] copy(s)
})"},
    {"ConvolutionKeepsTheBatch", "c", "{devices=[4,1,1,1]<=[4]}", R"(
  x = f32[8,16,16,3] parameter(0), sharding={devices=[4,1,1,1]<=[4]}
  k = f32[3,3,3,8] parameter(1)
  c = f32[8,16,16,8] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  ROOT r = f32[8,16,16,8] copy(c))"},
    {"SortAlongAnother", "s", "{devices=[4,1]<=[4]}", R"(
less { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = pred[] compare(x, y), direction=LT }
ENTRY e {
  p = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}
  s = f32[8,16] sort(p), dimensions={1}, to_apply=less
  ROOT r = f32[8,16] copy(s)
})"},
    {"IotaFromItsUser", "i", "{devices=[4]<=[4]}", R"(
  i = s32[8] iota(), iota_dimension=0
  ROOT r = s32[8] copy(i), sharding={devices=[4]<=[4]})"},
    {"AnOutfeedSaysHowItsDataLies", "n", "{devices=[4,1]<=[4]}", R"(
  p = f32[8,4] parameter(0)
  n = f32[8,4] negate(p)
  t = (f32[8,4]) tuple(n)
  a = token[] after-all()
  ROOT o = token[] outfeed(t, a), outfeed_shape=(f32[8,4]), sharding={{devices=[4,1]<=[4]}, {maximal device=0}})"},
    {"WhatOnlyPreventsMergingGivesWay", "b", "{devices=[4]3,2,1,0}", R"(
  p = f32[] parameter(0), sharding={replicated}
  b = f32[8] broadcast(p), dimensions={}, sharding={devices=[4]<=[4] metadata={op_name="_sharding_propagation_cse_prevention"}}
  n = f32[8] negate(b)
  ROOT r = f32[8] copy(n), sharding={devices=[4]3,2,1,0})"},
    {"ATupleAndItsElements", "n", "{devices=[4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  q = f32[8] parameter(1)
  t = (f32[8], f32[8]) tuple(q, p)
  g = f32[8] get-tuple-element(t), index=1
  n = f32[8] negate(g)
  ROOT r = f32[8] copy(n))"},
    {"ABarrierLetsThrough", "n", "{devices=[4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  o = f32[8] opt-barrier(p)
  n = f32[8] negate(o)
  ROOT r = f32[8] copy(n))"},
    {"ALoopsBody", "m", "{devices=[4]<=[4]}", R"(
body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  m = f32[8] negate(x)
  ROOT t = (s32[], f32[8]) tuple(i, m)
}
goes { s = (s32[], f32[8]) parameter(0)  ROOT c = pred[] constant(false) }
ENTRY e {
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, p)
  w = (s32[], f32[8]) while(t), condition=goes, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1
})"},
    {"ABranch", "m", "{devices=[4]<=[4]}", R"(
one { x = f32[8] parameter(0)  ROOT m = f32[8] negate(x) }
other { x = f32[8] parameter(0)  ROOT k = f32[8] abs(x) }
ENTRY e {
  c = pred[] parameter(0)
  p = f32[8] parameter(1), sharding={devices=[4]<=[4]}
  w = f32[8] conditional(c, p, p), true_computation=one, false_computation=other
  ROOT r = f32[8] copy(w)
})"},
    {"ACall", "m", "{devices=[4]<=[4]}", R"(
callee { x = f32[8] parameter(0)  ROOT m = f32[8] negate(x) }
ENTRY e {
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  w = f32[8] call(p), to_apply=callee
  ROOT r = f32[8] copy(w)
})"},
    {"ManualEndsAtItsConversion", "n", "{devices=[4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  l = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  m = f32[2] negate(l)
  f = f32[8] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
  n = f32[8] negate(f)
  ROOT r = f32[8] copy(n))"},
    {"ManualWithin", "m", "{manual}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  l = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  m = f32[2] negate(l)
  f = f32[8] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
  ROOT r = f32[8] copy(f))"},
    {"MembersOfAGroupEndAlike", "b", "{devices=[4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  q = f32[8] parameter(1)
  a = f32[8] custom-call(p), custom_call_target="Sharding", sharding={unknown shard_as 1}
  b = f32[8] custom-call(q), custom_call_target="Sharding", sharding={unknown shard_as 1}
  ROOT r = (f32[8], f32[8]) tuple(a, b))"},
    {"OpenDimensionsTakeMore", "c", "{devices=[2,2]<=[4]}", R"(
  p = f32[8,8] parameter(0), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  n = f32[8,8] negate(p)
  c = f32[8,8] custom-call(n), custom_call_target="Sharding", sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}, backend_config="unspecified_dims=[1]"
  ROOT r = f32[8,8] copy(c))"},
    {"RandomBitsWantAWholeState", "n", "{replicated}", R"(
  p = u64[2] parameter(0)
  n = u64[2] negate(p)
  g = (u64[2], u32[8]) rng-bit-generator(n), algorithm=rng_default
  ROOT r = u32[8] get-tuple-element(g), index=1, sharding={devices=[4]<=[4]})"},
    {"ToTheOutputWhereTheHeaderLets", "r", "{devices=[4]<=[4]}", R"(
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  ROOT r = f32[8] negate(p))",
     ", allow_spmd_sharding_propagation_to_output={true}"},
};

class PropagationTable : public testing::TestWithParam<PropagationRow> {};

TEST_P(PropagationTable, Holds) {
  const PropagationRow& row = GetParam();
  const std::string body = row.body;
  const bool isWhole = body.find("ENTRY") != body.npos;
  const std::string text = std::string("HloModule m, num_partitions=4") + row.header + "\n" +
                           (isWhole ? body : "ENTRY e {" + body + "\n}") + "\n";
  const auto parsed = parseModuleStrictly(text);
  ASSERT_TRUE(parsed) << toString(parsed.error()) << text;
  const auto module = (*parsed)->clone();
  const auto decisions = spreadShardings(*module);
  ASSERT_TRUE(decisions) << toString(decisions.error());
  const Instruction* i = module->findInstruction(row.instruction);
  ASSERT_NE(i, nullptr);
  const Sharding* has = i->get<Attr::Sharding>();
  ASSERT_NE(has, nullptr);
  Arena arena;
  const auto expected = parseSharding(row.expected, arena);
  ASSERT_TRUE(expected) << toString(expected.error());
  const auto a = tilingsOf(*has, i->shape(), 4, *i), b = tilingsOf(*expected, i->shape(), 4, *i);
  ASSERT_TRUE(a && b);
  std::string got;
  appendSharding(got, *has);
  EXPECT_TRUE(*a == *b) << got;
}

INSTANTIATE_TEST_SUITE_P(Rows, PropagationTable, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace hilo
