// Values through asynchronous operations, copies, sends and collectives in two halves.
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

TEST(DataflowAsync, CopySendAndReceive) {
  const DataflowText m(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  cs = (f32[], f32[], u32[]) copy-start(a)
  cd = f32[] copy-done(cs)
  k = token[] after-all()
  s = (f32[], u32[], token[]) send(a, k), channel_id=1
  sd = token[] send-done(s), channel_id=1
  r = (f32[], u32[], token[]) recv(k), channel_id=2
  rd = (f32[], token[]) recv-done(r), channel_id=2
  dep = f32[] add-dependency(a, sd)
  ROOT t = (f32[], (f32[], token[]), f32[]) tuple(cd, rd, dep)
})");
  EXPECT_EQ(m.at("cs"), "cs{}");
  EXPECT_EQ(m.at("cs{0}"), "cs{0}");
  EXPECT_EQ(m.at("cs{1}"), "a");
  EXPECT_EQ(m.at("cs{2}"), "cs{2}");
  EXPECT_EQ(m.at("cd"), "cs{0}");
  EXPECT_EQ(m.at("s{0}"), "a");
  EXPECT_EQ(m.at("s{1}"), "s{1}");
  EXPECT_EQ(m.at("sd"), "sd");
  EXPECT_EQ(m.at("rd"), "rd{}");
  EXPECT_EQ(m.at("rd{0}"), "r{0}");
  EXPECT_EQ(m.at("rd{1}"), "rd{1}");
  EXPECT_EQ(m.at("dep"), "a");
  EXPECT_TRUE(m.value("r{0}").livesOut);
}

TEST(DataflowAsync, CollectivesInTwoHalves) {
  const DataflowText m(R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[8] parameter(1)
  ar = f32[4] all-reduce-start(a), to_apply=sum
  ard = f32[4] all-reduce-done(ar)
  ar2 = (f32[4], f32[8]) all-reduce-start(a, b), to_apply=sum
  ar2d = (f32[4], f32[8]) all-reduce-done(ar2)
  ag = (f32[4], f32[16]) all-gather-start(a), dimensions={0}
  agd = f32[16] all-gather-done(ag)
  ag2 = ((f32[4], f32[8]), (f32[16], f32[32])) all-gather-start(a, b), dimensions={0}
  ag2d = (f32[16], f32[32]) all-gather-done(ag2)
  cp = (f32[4], f32[4], u32[], u32[]) collective-permute-start(a), source_target_pairs={{0,1}}
  cpd = f32[4] collective-permute-done(cp)
  cp2 = ((f32[4], f32[8]), (f32[4], f32[8]), u32[]) collective-permute-start(a, b), source_target_pairs={{0,1}}
  cp2d = (f32[4], f32[8]) collective-permute-done(cp2)
  ROOT t = (f32[4]) tuple(ard)
})");
  EXPECT_EQ(m.at("ard"), "ar");
  EXPECT_EQ(m.at("ar2{1}"), "ar2{1}");
  EXPECT_EQ(m.at("ar2d"), "ar2{}");
  EXPECT_EQ(m.at("ar2d{1}"), "ar2{1}");
  EXPECT_EQ(m.at("ag{0}"), "a");
  EXPECT_EQ(m.at("agd"), "ag{1}");
  EXPECT_EQ(m.at("ag2{0}"), "ag2{0}");
  EXPECT_EQ(m.at("ag2{0,1}"), "b");
  EXPECT_EQ(m.at("ag2d"), "ag2d{}");
  EXPECT_EQ(m.at("ag2d{1}"), "ag2{1,1}");
  EXPECT_EQ(m.at("cp{0}"), "a");
  EXPECT_EQ(m.at("cp{3}"), "cp{3}");
  EXPECT_EQ(m.at("cpd"), "cp{1}");
  EXPECT_EQ(m.at("cp2{0,1}"), "b");
  EXPECT_EQ(m.at("cp2d"), "cp2d{}");
  EXPECT_EQ(m.at("cp2d{0}"), "cp2{1,0}");
}

constexpr const char* kAsyncCall = R"(HloModule m
called {
  p0 = f32[8] parameter(0)
  p1 = f32[8] parameter(1)
  ROOT add = f32[8] add(p0, p1)
}, execution_thread="other"
ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  s = ((f32[8], f32[8]), f32[8], u32[]) async-start(a, b), async_execution_thread="other", calls=called
  u = ((f32[8], f32[8]), f32[8], u32[]) async-update(s)
  ROOT d = f32[8] async-done(u)
})";

TEST(DataflowAsync, WrappedComputationsTakeOperandsAndGiveTheirRoot) {
  const DataflowText m(kAsyncCall);
  EXPECT_EQ(m.at("p1"), "b");
  EXPECT_EQ(m.at("s"), "s{}");
  EXPECT_EQ(m.at("s{0,1}"), "b");
  EXPECT_EQ(m.at("s{1}"), "add");
  EXPECT_EQ(m.at("u{1}"), "add");
  EXPECT_EQ(m.at("u{2}"), "s{2}");
  EXPECT_EQ(m.at("d"), "add");
  EXPECT_TRUE(m.value("add").livesOut);
}

TEST(DataflowAsync, AnExcludedThreadMakesItsResultAtTheStart) {
  const DataflowText m(kAsyncCall, {.executionThreads = {"main"}});
  EXPECT_EQ(m.at("s{1}"), "s{1}");
  EXPECT_EQ(m.at("u{1}"), "s{1}");
  EXPECT_EQ(m.at("d"), "s{1}");
}

TEST(DataflowAsync, OperandsAndResultMayBeBoundLate) {
  const DataflowText m(R"(HloModule m
sub {
  p0 = f32[] parameter(0)
  p1 = f32[] parameter(1)
  ROOT add = f32[] add(p0, p1)
}
wrapped {
  q = f32[8] parameter(0)
  ROOT t = (f32[8], f32[8]) tuple(q, q)
}
ENTRY e {
  c1 = f32[] constant(1)
  c2 = f32[] constant(2)
  s = ((), f32[], s32[]) async-start(), calls=sub
  u0 = ((f32[]), f32[], s32[]) async-update(s, c1)
  u1 = ((f32[], f32[]), f32[], s32[]) async-update(u0, c2)
  d = f32[] async-done(u1)
  v = f32[8] parameter(0)
  s2 = ((f32[8]), (), s32[]) async-start(v), calls=wrapped
  u2 = ((f32[8]), (f32[8], f32[8]), s32[]) async-update(s2)
  ROOT d2 = (f32[8], f32[8]) async-done(u2)
})");
  EXPECT_EQ(m.at("p0"), "c1");
  EXPECT_EQ(m.at("p1"), "c2");
  EXPECT_EQ(m.at("u1{0,0}"), "c1");
  EXPECT_EQ(m.at("u1{0,1}"), "c2");
  EXPECT_EQ(m.at("d"), "add");
  EXPECT_EQ(m.at("s2{1}"), "s2{1}");
  EXPECT_EQ(m.at("u2{1,0}"), "v");
  EXPECT_EQ(m.at("d2"), "d2{}");
  EXPECT_EQ(m.at("d2{1}"), "v");
}

TEST(DataflowAsync, AContextMayComeAndGoAtAnUpdate) {
  const DataflowText m(R"(HloModule m
ENTRY e {
  a = f32[2,3] parameter(0)
  s = ((f32[2,3]), f32[2,3], u32[]) custom-call-start(a), custom_call_target="foo"
  u = ((f32[2,3]), f32[2,3]) custom-call-update(s)
  ROOT d = f32[2,3] custom-call-done(u)
})");
  EXPECT_EQ(m.at("s{2}"), "s{2}");
  EXPECT_EQ(m.at("d"), m.at("s{1}"));
}

TEST(DataflowAsync, AChainInABranchRunsTheBranch) {
  const DataflowText m(R"(HloModule m
t { ROOT tp = f32[8] parameter(0) }
f { fp = f32[8] parameter(0) ROOT n = f32[8] negate(fp) }
called {
  p0 = pred[] parameter(0)
  p1 = f32[8] parameter(1)
  ROOT c = f32[8] conditional(p0, p1, p1), true_computation=t, false_computation=f
}
ENTRY e {
  a = f32[8] parameter(1)
  p = pred[] parameter(0)
  s = ((pred[], f32[8]), f32[8], u32[]) async-start(p, a), calls=called
  ROOT d = f32[8] async-done(s)
})",
                       {.ssaForm = true});
  EXPECT_EQ(m.at("tp"), "a");
  EXPECT_EQ(m.at("fp"), "a");
  EXPECT_EQ(m.at("p0"), "p");
  EXPECT_EQ(m.at("d"), "phi:c");
}

}  // namespace
}  // namespace hilo
