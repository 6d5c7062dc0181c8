// Which operands must be written over, and which may be: XLA's alias_info_test.cc and
// CanShareOperandBufferWithUser.
#include "core/analysis/dataflow/alias_rules.h"
#include "core/analysis/backend.h"

#include "core/analysis/dataflow/operand_sharing.h"
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

// "1{0}->{1,0}": operand, its part, and the part of the output.
std::string pairsOf(const Module& module, std::string_view name, Backend backend = Backend::Cpu) {
  std::vector<std::string> words;
  for (const InPlacePair& pair : inPlacePairs(*module.findInstruction(name), backend)) {
    words.push_back(
        fmt::format("{}{}->{}", pair.operandNumber, toString(pair.operandIndex), toString(pair.outputIndex)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(InPlacePairs, OfSingleOperations) {
  const auto m = parsed(R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
two {
  x0 = f32[] parameter(0)
  x1 = f32[] parameter(1)
  x2 = f32[] parameter(2)
  x3 = f32[] parameter(3)
  ROOT t2 = (f32[], f32[]) tuple(x2, x3)
}
ENTRY e {
  a = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  j = s32[2,1] parameter(3)
  dus = f32[8] dynamic-update-slice(a, u, i)
  sc = f32[8] scatter(a, j, u), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
  sc2 = (f32[8], f32[8]) scatter(a, dus, j, u, u), to_apply=two, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
  ar = f32[8] all-reduce-start(a), to_apply=sum
  ar2 = (f32[8], f32[2]) all-reduce-start(a, u), to_apply=sum
  n = f32[8] set-dimension-size(a, i), dimensions={0}
  cc = (f32[8], f32[2]) custom-call(a, u), custom_call_target="f", output_to_operand_aliasing={{1}: (1, {})}
  cp4 = (f32[8], f32[2], f32[8], f32[2]) collective-permute(a, u, a, u), source_target_pairs={{0,1}}
  ROOT add = f32[8] add(a, dus)
})");
  EXPECT_EQ(pairsOf(*m, "dus"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "sc"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "sc2"), "0{}->{0} 1{}->{1}");
  EXPECT_EQ(pairsOf(*m, "ar"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "ar2"), "0{}->{0} 1{}->{1}");
  EXPECT_EQ(pairsOf(*m, "n"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "cc"), "1{}->{1}");
  // Four operands alone do not make a permute write in place: that takes slices.
  EXPECT_EQ(pairsOf(*m, "cp4"), "");
  EXPECT_EQ(pairsOf(*m, "add"), "");
}

TEST(InPlacePairs, OfPermutesThatUpdateSlices) {
  const auto m = parsed(R"(HloModule m
ENTRY e {
  a = f32[4,4] parameter(0)
  b = f32[8,4] parameter(1)
  z = s32[] constant(0)
  from = (s32[], s32[]) tuple(z, z)
  cp = f32[8,4] collective-permute(a, b, from, from), source_target_pairs={{0,1}}, slice_sizes={{4,4}}
  cs = (f32[4,4], f32[8,4], u32[], u32[]) collective-permute-start(a, b, from, from), source_target_pairs={{0,1}}, slice_sizes={{4,4}}
  ROOT cd = f32[8,4] collective-permute-done(cs)
})");
  EXPECT_EQ(pairsOf(*m, "cp"), "1{}->{}");
  EXPECT_EQ(pairsOf(*m, "cs"), "1{}->{1}");
}

TEST(InPlacePairs, FusionsFollowTheirRootsToAParameter) {
  const auto m = parsed(R"(HloModule m
plain {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  b = f32[2,4] bitcast(p)
  c = f32[8] bitcast(b)
  d = f32[8] dynamic-update-slice(c, u, i)
  ROOT r = f32[2,4] bitcast(d)
}
reshaped {
  p1 = f32[2,4] parameter(0)
  u1 = f32[2] parameter(1)
  i1 = s32[] parameter(2)
  s1 = f32[8] reshape(p1)
  ROOT d1 = f32[8] dynamic-update-slice(s1, u1, i1)
}
several {
  p2 = (f32[8], f32[8]) parameter(0)
  u2 = f32[2] parameter(1)
  i2 = s32[] parameter(2)
  g2 = f32[8] get-tuple-element(p2), index=1
  d2 = f32[8] dynamic-update-slice(g2, u2, i2)
  n2 = f32[8] negate(g2)
  ROOT t2 = (f32[8], f32[8]) tuple(n2, d2)
}
chained {
  p3 = f32[8] parameter(0)
  u3 = f32[2] parameter(1)
  i3 = s32[] parameter(2)
  f3 = f32[2,4] fusion(p3, u3, i3), kind=kLoop, calls=plain
  b3 = f32[8] bitcast(f3)
  ROOT d3 = f32[8] dynamic-update-slice(b3, u3, i3)
}
ENTRY e {
  a = f32[8] parameter(0)
  u4 = f32[2] parameter(1)
  i4 = s32[] parameter(2)
  w = f32[2,4] parameter(3)
  t = (f32[8], f32[8]) parameter(4)
  f1 = f32[2,4] fusion(a, u4, i4), kind=kLoop, calls=plain
  f2 = f32[8] fusion(w, u4, i4), kind=kLoop, calls=reshaped
  f4 = (f32[8], f32[8]) fusion(t, u4, i4), kind=kLoop, calls=several
  f5 = f32[8] fusion(a, u4, i4), kind=kLoop, calls=chained
  ROOT x = f32[8] add(a, f2)
})");
  EXPECT_EQ(pairsOf(*m, "f1"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "f2"), "");
  EXPECT_EQ(pairsOf(*m, "f2", Backend::Gpu), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "f4"), "0{1}->{1}");
  EXPECT_EQ(pairsOf(*m, "f5"), "0{}->{}");
}

TEST(InPlacePairs, AsDeclaredAndOfTuples) {
  const auto m = parsed(R"(HloModule m
fused { fp = f32[8] parameter(0) ROOT fn = f32[8] negate(fp) }
updates {
  p0 = f32[8] parameter(0)
  p1 = f32[2] parameter(1)
  p2 = s32[] parameter(2)
  d0 = f32[8] dynamic-update-slice(p0, p1, p2)
  ROOT t0 = (f32[8], f32[2]) tuple(d0, p1)
}
called { x = f32[8] parameter(0) ROOT xn = f32[8] negate(x) }
ENTRY e {
  a = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  o = f32[8] parameter(3)
  n = s32[4] parameter(4)
  z = s32[] constant(0)
  c = (f32[8], f32[8]) tuple(a, o)
  f = f32[8] fusion(a), kind=kLoop, calls=fused, output_to_operand_aliasing={{}: (0, {})}
  g = (f32[8], f32[2]) fusion(a, u, i), kind=kLoop, calls=updates, output_to_operand_aliasing={{1}: (1, {})}
  r = f32[8] ragged-all-to-all(a, o, n, n, n, n), replica_groups={{0,1}}
  s = ((f32[8]), f32[8], u32[]) async-start(a), calls=called, output_to_operand_aliasing={{1}: (0, {})}
  d = f32[8] async-done(s)
  k = (s32[]) tuple(z)
  from = ((s32[]), (s32[])) tuple(k, k)
  cp = (f32[8], f32[8]) collective-permute(c, c, from, from), source_target_pairs={{0,1}}, slice_sizes={{4},{4}}
  cs = ((f32[8], f32[8]), (f32[8], f32[8]), u32[], u32[]) collective-permute-start(c, c, from, from), source_target_pairs={{0,1}}, slice_sizes={{4},{4}}
  ROOT cd = (f32[8], f32[8]) collective-permute-done(cs)
})");
  EXPECT_EQ(pairsOf(*m, "f"), "0{}->{}");
  EXPECT_EQ(pairsOf(*m, "g"), "0{}->{0} 1{}->{1}");
  EXPECT_EQ(pairsOf(*m, "r"), "1{}->{}");
  EXPECT_EQ(pairsOf(*m, "s"), "0{}->{1}");
  EXPECT_EQ(pairsOf(*m, "d"), "0{0,0}->{}");
  EXPECT_EQ(pairsOf(*m, "cp"), "1{}->{} 1{0}->{0} 1{1}->{1}");
  EXPECT_EQ(pairsOf(*m, "cs"), "1{}->{1} 1{0}->{1,0} 1{1}->{1,1}");
  const auto [source, index] = followTuples(m->findInstruction("c"), {1});
  EXPECT_EQ(source->name(), "o");
  EXPECT_TRUE(index.empty());
}

bool canShare(const DataflowText& m, std::string_view operand, std::string_view user,
              Backend backend = Backend::Cpu) {
  const HloPosition from = positionOf(*m.module, operand), to = positionOf(*m.module, user);
  return canShareOperandBuffer(*m.dataflow, *from.instruction, from.index, *to.instruction, to.index,
                               backend);
}

TEST(OperandSharing, ByOperation) {
  const DataflowText m(R"(HloModule m
less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT c = pred[] compare(x, y), direction=LT }
less2 {
  x0 = f32[] parameter(0)
  x1 = f32[] parameter(1)
  y0 = f32[] parameter(2)
  y1 = f32[] parameter(3)
  ROOT c2 = pred[] compare(x0, x1), direction=LT
}
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  k = f32[8] constant({1,1,1,1,1,1,1,1})
  u = f32[2] parameter(2)
  i = s32[] parameter(3)
  n = f32[8] negate(a)
  h = f16[8] convert(a)
  r = f32[8] reverse(a), dimensions={0}
  kn = f32[8] negate(k)
  d = f32[8] dynamic-update-slice(b, u, i)
  one = f32[8] negate(n)
  s = f32[8] sort(one), dimensions={0}, to_apply=less
  h2 = f32[8] negate(s)
  v = f32[8] negate(h2)
  ROOT s2 = (f32[8], f32[8]) sort(v, d), dimensions={0}, to_apply=less2
})");
  EXPECT_TRUE(canShare(m, "a", "n"));
  EXPECT_FALSE(canShare(m, "a", "h"));  // another size
  EXPECT_FALSE(canShare(m, "a", "r"));
  EXPECT_FALSE(canShare(m, "k", "kn"));  // a constant stays
  EXPECT_TRUE(canShare(m, "b", "d"));
  EXPECT_FALSE(canShare(m, "u", "d"));
  EXPECT_TRUE(canShare(m, "one", "s"));
  EXPECT_TRUE(canShare(m, "v", "s2{0}"));
  EXPECT_FALSE(canShare(m, "v", "s2{1}"));
}

TEST(OperandSharing, ByOperationThatUpdatesOrCalls) {
  const DataflowText m(R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
cond { q = f32[8] parameter(0) ROOT no = pred[] constant(false) }
body { p = f32[8] parameter(0) ROOT bn = f32[8] negate(p) }
called { z = f32[8] parameter(0) ROOT zn = f32[8] negate(z) }
ENTRY e {
  a = f32[8] parameter(0)
  u = f32[2] parameter(1)
  j = s32[2,1] parameter(2)
  l = f32[4,4] parameter(3)
  b = f32[4,4] parameter(4)
  i = s32[] parameter(5)
  sc = f32[8] scatter(a, j, u), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
  ts = f32[4,4] triangular-solve(l, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE
  cp = f32[8] copy(sc)
  w = f32[8] while(cp), condition=cond, body=body
  c = f32[8] call(w), to_apply=called
  twice = f32[8] dynamic-update-slice(c, u, i)
  ROOT t = (f32[8], f32[4,4]) tuple(twice, ts)
})");
  EXPECT_TRUE(canShare(m, "a", "sc"));
  EXPECT_FALSE(canShare(m, "u", "sc"));
  EXPECT_TRUE(canShare(m, "b", "ts"));
  EXPECT_FALSE(canShare(m, "l", "ts"));
  EXPECT_TRUE(canShare(m, "sc", "cp"));
  EXPECT_TRUE(canShare(m, "cp", "w"));
  EXPECT_TRUE(canShare(m, "c", "twice"));
}

constexpr const char* kFusions = R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
loop {
  p0 = f32[8] parameter(0)
  p1 = f32[8] parameter(1)
  n = f32[8] negate(p0)
  r = f32[8] reverse(p1), dimensions={0}
  ROOT a = f32[8] add(n, r)
}
same_slice {
  q0 = f32[8] parameter(0)
  i0 = s32[] parameter(1)
  ds = f32[2] dynamic-slice(q0, i0), dynamic_slice_sizes={2}
  m = f32[2] negate(ds)
  ROOT dus = f32[8] dynamic-update-slice(q0, m, i0)
}
other_slice {
  w0 = f32[8] parameter(0)
  j0 = s32[] parameter(1)
  j1 = s32[] parameter(2)
  ds2 = f32[2] dynamic-slice(w0, j0), dynamic_slice_sizes={2}
  m2 = f32[2] negate(ds2)
  ROOT dus2 = f32[8] dynamic-update-slice(w0, m2, j1)
}
reduces {
  z0 = f32[2,4] parameter(0)
  zero = f32[] constant(0)
  red = f32[2] reduce(z0, zero), dimensions={1}, to_apply=sum
  neg = f32[2,4] negate(z0)
  ROOT tup = (f32[2], f32[2,4]) tuple(red, neg)
}
converts {
  v0 = f32[8] parameter(0)
  b0 = s32[8] bitcast-convert(v0)
  ROOT t0 = s32[2,4] bitcast(b0)
}
dotadd {
  l = f32[2,2] parameter(0)
  c = f32[2,2] parameter(1)
  d = f32[2,2] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT o = f32[2,2] add(d, c)
}
ENTRY e {
  a0 = f32[8] parameter(0)
  a1 = f32[8] parameter(1)
  k0 = s32[] parameter(2)
  k1 = s32[] parameter(3)
  mat = f32[2,4] parameter(4)
  sq = f32[2,2] parameter(5)
  sq2 = f32[2,2] parameter(6)
  f = f32[8] fusion(a0, a1), kind=kLoop, calls=loop
  g = f32[8] fusion(a0, k0), kind=kLoop, calls=same_slice
  h = f32[8] fusion(a0, k0, k1), kind=kLoop, calls=other_slice
  in = (f32[2], f32[2,4]) fusion(mat), kind=kInput, calls=reduces
  cv = s32[2,4] fusion(a1), kind=kLoop, calls=converts
  ROOT da = f32[2,2] fusion(sq, sq2), kind=kOutput, calls=dotadd
})";

TEST(OperandSharing, IntoFusions) {
  const DataflowText m(kFusions);
  EXPECT_TRUE(canShare(m, "a0", "f"));
  EXPECT_FALSE(canShare(m, "a1", "f"));
  EXPECT_TRUE(canShare(m, "sq2", "da"));
  EXPECT_FALSE(canShare(m, "sq", "da"));
  EXPECT_FALSE(canShare(m, "mat", "in{1}"));
  EXPECT_FALSE(canShare(m, "a1", "cv"));
}

TEST(OperandSharing, IntoGpuFusions) {
  const DataflowText m(kFusions);
  EXPECT_TRUE(canShare(m, "a0", "f", Backend::Gpu));
  EXPECT_FALSE(canShare(m, "a1", "f", Backend::Gpu));
  EXPECT_TRUE(canShare(m, "a0", "g", Backend::Gpu));
  EXPECT_TRUE(canShare(m, "mat", "in{1}", Backend::Gpu));  // the reduction has read it by then
  EXPECT_TRUE(canShare(m, "a1", "cv", Backend::Gpu));      // same bytes an element
  // Updated in place whatever else it reads: that is the instruction's meaning, not a choice.
  EXPECT_TRUE(canShare(m, "a0", "h", Backend::Gpu));
}

}  // namespace
}  // namespace hilo
