// Values through tuples, calls, loops and branches: the properties XLA's
// hlo_dataflow_analysis_test.cc asserts.
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

constexpr DataflowOptions kSsa{.ssaForm = true};

TEST(Dataflow, TuplesPassPartsOnAndDefineTheirTable) {
  const DataflowText m(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  t = (f32[], f32[]) tuple(a, b)
  n = ((f32[], f32[]), (f32[], f32[]), f32[]) tuple(t, t, a)
  g = (f32[], f32[]) get-tuple-element(n), index=1
  gb = f32[] get-tuple-element(g), index=1
  c = (f32[], f32[]) copy(t)
  o = (f32[], f32[]) opt-barrier(c)
  ROOT s = f32[] add(gb, a)
})");
  EXPECT_EQ(m.at("n{0}"), "t{}");
  EXPECT_EQ(m.at("n{1,1}"), "b");
  EXPECT_EQ(m.at("n{2}"), "a");
  EXPECT_EQ(m.at("g"), "t{}");
  EXPECT_EQ(m.at("gb"), "b");
  EXPECT_EQ(m.at("c"), "c{}");
  EXPECT_EQ(m.at("c{0}"), "a");
  EXPECT_EQ(m.at("o"), "c{}");
  EXPECT_EQ(m.dataflow->values().size(), 6u);
  // Passing through is no use: b is read by the addition alone, t's table by the reads of elements.
  EXPECT_EQ(m.uses("b"), "o.0 s.0");
  EXPECT_EQ(m.value("b").positions.size(), 8u);
  EXPECT_TRUE(m.value("s").livesOut);
  EXPECT_FALSE(m.value("a").livesOut);
}

TEST(Dataflow, BitcastIsAViewUnlessAskedOtherwise) {
  const char* text = R"(HloModule m
ENTRY e {
  c = f32[4] constant({1,2,3,4})
  ROOT b = f32[2,2] bitcast(c)
})";
  EXPECT_EQ(DataflowText(text).at("b"), "c");
  EXPECT_EQ(DataflowText(text, {.bitcastDefinesValue = true}).at("b"), "b");
}

constexpr const char* kCalls = R"(HloModule m
sub {
  p0 = f32[] parameter(0)
  p1 = f32[] parameter(1)
  ROOT add = f32[] add(p0, p1)
}
ENTRY e {
  c1 = f32[] constant(1)
  c2 = f32[] constant(2)
  x = f32[] call(c1, c2), to_apply=sub
  ROOT y = f32[] call(x, c2), to_apply=sub
})";

TEST(Dataflow, CallsPassArgumentsInAndResultsOut) {
  const DataflowText m(kCalls);
  EXPECT_EQ(m.at("p0"), "add c1");
  EXPECT_EQ(m.at("p1"), "c2");
  EXPECT_EQ(m.at("y"), "add");
  EXPECT_TRUE(m.value("add").livesOut);
  const DataflowText closed(kCalls, {.propagateThroughCalls = false});
  EXPECT_EQ(closed.at("p0"), "p0");
  EXPECT_EQ(closed.at("y"), "y");
}

constexpr const char* kLoop = R"(HloModule m
body {
  p = (f32[], f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p), index=0
  g1 = f32[] get-tuple-element(p), index=1
  add = f32[] add(g0, g1)
  ROOT r = (f32[], f32[]) tuple(g0, add)
}
cond {
  q = (f32[], f32[]) parameter(0)
  ROOT no = pred[] constant(false)
}
body2 {
  p2 = (f32[], f32[]) parameter(0)
  h0 = f32[] get-tuple-element(p2), index=0
  h1 = f32[] get-tuple-element(p2), index=1
  ROOT r2 = (f32[], f32[]) tuple(h1, h0)
}
cond2 {
  q2 = (f32[], f32[]) parameter(0)
  ROOT no2 = pred[] constant(false)
}
ENTRY e {
  c1 = f32[] constant(1)
  c2 = f32[] constant(2)
  t = (f32[], f32[]) tuple(c1, c2)
  w = (f32[], f32[]) while(t), condition=cond, body=body
  ROOT w2 = (f32[], f32[]) while(w), condition=cond2, body=body2
})";

TEST(Dataflow, LoopsJoinWhatEntersAndWhatComesBack) {
  const DataflowText ssa(kLoop, kSsa);
  EXPECT_EQ(ssa.at("w{0}"), "c1");  // carried round unchanged: no phi
  EXPECT_EQ(ssa.at("p{0}"), "c1");
  EXPECT_EQ(ssa.at("p{1}"), "phi:p{1}");
  EXPECT_EQ(ssa.at("q{1}"), "phi:q{1}");
  EXPECT_EQ(ssa.at("w{1}"), "phi:w{1}");
  EXPECT_EQ(ssa.at("r{1}"), "add");
  EXPECT_EQ(ssa.at("w2{0}"), "phi:w2{0}");  // swapped each time round
  EXPECT_EQ(ssa.at("p2{1}"), "phi:p2{1}");
  EXPECT_TRUE(ssa.value("w2{0}").livesOut);
  EXPECT_FALSE(ssa.value("add").livesOut);
  const DataflowText sets(kLoop);
  EXPECT_EQ(sets.at("w{1}"), "add c2");
  EXPECT_EQ(sets.at("p{1}"), "add c2");
  EXPECT_EQ(sets.at("w2{0}"), "add c1 c2");
  EXPECT_TRUE(sets.value("add").livesOut);
}

TEST(Dataflow, SwappingOneValueNeedsNoPhi) {
  std::string text = kLoop;
  text.replace(text.find("tuple(c1, c2)"), 13, "tuple(c1, c1)");
  text.replace(text.find("add(g0, g1)"), 11, "copy(g0)   ");
  text.replace(text.find("tuple(g0, add)"), 14, "tuple(g1, g0)");
  const DataflowText m(text, kSsa);
  EXPECT_EQ(m.at("p{0}"), "c1");
  EXPECT_EQ(m.at("p{1}"), "c1");
  EXPECT_EQ(m.at("w2{1}"), "c1");
}

TEST(Dataflow, PhisOfInnerLoopsThatPassThroughGo) {
  const DataflowText m(R"(HloModule m
cond0 { c0 = (f32[]) parameter(0) ROOT f0 = pred[] constant(false) }
cond1 { c1 = (f32[]) parameter(0) ROOT f1 = pred[] constant(false) }
cond2 { c2 = (f32[]) parameter(0) ROOT f2 = pred[] constant(false) }
level0 {
  p0 = (f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p0), index=0
  ROOT r0 = (f32[]) tuple(g0)
}
level1 {
  p1 = (f32[]) parameter(0)
  ROOT r1 = (f32[]) while(p1), condition=cond0, body=level0
}
level2 {
  p2 = (f32[]) parameter(0)
  w = (f32[]) while(p2), condition=cond1, body=level1
  g2 = f32[] get-tuple-element(w), index=0
  n = f32[] negate(g2)
  ROOT r2 = (f32[]) tuple(n)
}
ENTRY e {
  one = f32[] constant(1)
  t = (f32[]) tuple(one)
  ROOT main = (f32[]) while(t), condition=cond2, body=level2
})",
                       kSsa);
  EXPECT_EQ(m.at("p2{0}"), "phi:p2{0}");
  for (const char* inner : {"p1{0}", "p0{0}", "r1{0}", "r0{0}", "g2"})
    EXPECT_EQ(m.at(inner), "phi:p2{0}") << inner;
}

constexpr const char* kBranches = R"(HloModule m
yes {
  y = f32[] parameter(0)
  ROOT yn = f32[] negate(y)
}
no {
  ROOT z = f32[] parameter(0)
}
no2 { ROOT z2 = f32[] parameter(0) }
no3 { ROOT z3 = f32[] parameter(0) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[] constant(1)
  b = f32[] constant(2)
  same = f32[] conditional(p, a, a), true_computation=no2, false_computation=no3
  ROOT c = f32[] conditional(p, a, b), true_computation=yes, false_computation=no
})";

TEST(Dataflow, BranchesJoin) {
  const DataflowText ssa(kBranches, kSsa);
  EXPECT_EQ(ssa.at("y"), "a");
  EXPECT_EQ(ssa.at("z"), "b");
  EXPECT_EQ(ssa.at("c"), "phi:c");
  EXPECT_EQ(ssa.at("same"), "a");
  EXPECT_EQ(DataflowText(kBranches).at("c"), "b yn");
}

TEST(Dataflow, NestedCallsAndBranches) {
  const DataflowText m(R"(HloModule m
inner { i0 = f32[] parameter(0) i1 = f32[] parameter(1) ROOT add = f32[] add(i0, i1) }
outer {
  o0 = f32[] parameter(0)
  o1 = f32[] parameter(1)
  n = f32[] negate(o0)
  ROOT c = f32[] call(n, o1), to_apply=inner
}
b0 { t0 = (f32[], f32[]) parameter(0) g0 = f32[] get-tuple-element(t0), index=0 ROOT f0 = f32[] ceil(g0) }
b1 { t1 = (f32[], f32[]) parameter(0) ROOT g1 = f32[] get-tuple-element(t1), index=1 }
pick {
  p0 = (f32[], f32[]) parameter(0)
  k = pred[] constant(true)
  ROOT in = f32[] conditional(k, p0, p0), true_computation=b0, false_computation=b1
}
b2 { t2 = (f32[], f32[]) parameter(0) g2 = f32[] get-tuple-element(t2), index=0 ROOT f2 = f32[] floor(g2) }
ENTRY e {
  x = f32[] constant(1)
  y = f32[] constant(2)
  r = f32[] call(x, y), to_apply=outer
  s = s32[] parameter(0)
  t = (f32[], f32[]) tuple(x, y)
  big = f32[] conditional(s, t, t), branch_computations={pick, b2}
  k2 = pred[] constant(true)
  ROOT o = f32[] select(k2, r, big)
})");
  EXPECT_EQ(m.at("i0"), "n");
  EXPECT_EQ(m.at("i1"), "y");
  EXPECT_EQ(m.at("r"), "add");
  EXPECT_EQ(m.at("g0"), "x");
  EXPECT_EQ(m.at("p0{1}"), "y");
  EXPECT_EQ(m.at("in"), "f0 y");
  EXPECT_EQ(m.at("big"), "f0 f2 y");
  EXPECT_EQ(m.at("o"), "o");  // a select makes a value of its own
}

TEST(Dataflow, AnInnerLoopPassesWhatTheOuterChanges) {
  const char* text = R"(HloModule m
ci { ai = (f32[], f32[]) parameter(0) ROOT ni = pred[] constant(false) }
co { ao = (f32[], f32[]) parameter(0) ROOT no = pred[] constant(false) }
inner {
  p = (f32[], f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p), index=0
  g1 = f32[] get-tuple-element(p), index=1
  add = f32[] add(g0, g1)
  ROOT r = (f32[], f32[]) tuple(g0, add)
}
outer {
  q = (f32[], f32[]) parameter(0)
  h0 = f32[] get-tuple-element(q), index=0
  neg = f32[] negate(h0)
  h1 = f32[] get-tuple-element(q), index=1
  t = (f32[], f32[]) tuple(neg, h1)
  ROOT w = (f32[], f32[]) while(t), condition=ci, body=inner
}
ENTRY e {
  c1 = f32[] constant(1)
  c2 = f32[] constant(2)
  i = (f32[], f32[]) tuple(c1, c2)
  ROOT v = (f32[], f32[]) while(i), condition=co, body=outer
})";
  const DataflowText ssa(text, kSsa);
  EXPECT_EQ(ssa.at("p{0}"), "neg");
  EXPECT_EQ(ssa.at("w{0}"), "neg");
  EXPECT_EQ(ssa.at("p{1}"), "phi:p{1}");
  EXPECT_EQ(ssa.at("w{1}"), "phi:w{1}");
  EXPECT_EQ(ssa.at("v{0}"), "phi:v{0}");
  const DataflowText sets(text);
  EXPECT_EQ(sets.at("p{1}"), "add c2");
  EXPECT_EQ(sets.at("w{0}"), "neg");
  EXPECT_EQ(sets.at("v{0}"), "c1 neg");
}

TEST(Dataflow, FlattensATupleToItsValues) {
  const DataflowText m(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  n = s32[] constant(3)
  d = f32[<=4] set-dimension-size(a, n), dimensions={0}
  t = (f32[4], f32[<=4]) tuple(a, d)
  ROOT u = ((f32[4], f32[<=4]), f32[4]) tuple(t, a)
})");
  EXPECT_EQ(m.at("d"), "d");
  EXPECT_EQ(m.dataflow->flattenedValues(*m.module->findInstruction("u")).size(), 4u);  // u t a d
}

TEST(Dataflow, FusedAndAppliedComputationsHaveParametersOfTheirOwn) {
  const DataflowText m(R"(HloModule m
fused {
  f = f32[4] parameter(0)
  ROOT n = f32[4] negate(f)
}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] fusion(a), kind=kLoop, calls=fused
})");
  EXPECT_EQ(m.at("f"), "f");
  EXPECT_EQ(m.at("r"), "r");
  EXPECT_FALSE(m.value("n").livesOut);
}

TEST(Dataflow, RefusesWhatItCannotTell) {
  const auto kindOf = [](std::string text, DataflowOptions options = {}) {
    const auto module = parsed(std::move(text));
    const auto dataflow = DataflowAnalysis::run(*module, options);
    return dataflow ? "" : dataflow.error().kind;
  };
  EXPECT_EQ(kindOf(R"(HloModule m
sub { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
ENTRY e {
  a = f32[] constant(1)
  v = f32[8] parameter(0)
  c = f32[] call(a, a), to_apply=sub
  ROOT r = f32[] reduce(v, c), dimensions={0}, to_apply=sub
})"),
            "both-contexts");
  EXPECT_EQ(kindOf(R"(HloModule m
sub { p = f32[] parameter(0) ROOT s = f32[] add(p, p) }
cond { q = f32[] parameter(0) ROOT f = pred[] constant(false) }
ENTRY e {
  a = f32[] constant(1)
  c = f32[] call(a), to_apply=sub
  ROOT w = f32[] while(c), condition=cond, body=sub
})",
                   {.propagateThroughCalls = false}),
            "mixed-callers");
  EXPECT_EQ(kindOf(R"(HloModule m
ENTRY e {
  a = f32[] constant(1)
  ROOT g = f32[] get-tuple-element(a), index=3
})"),
            "inconsistent-shapes");
}

}  // namespace
}  // namespace hilo
