// Which values share a buffer: the properties XLA's hlo_alias_analysis_test.cc asserts.
#include "core/analysis/dataflow/alias_analysis.h"

#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

class Aliases {
 public:
  explicit Aliases(std::string text)
      : module_(parsed(std::move(text))), analysis_(AliasAnalysis::run(*module_)) {
    EXPECT_TRUE(analysis_) << toString(analysis_.error());
  }
  // Definitions of the values that share a buffer with what is at a position.
  std::string with(std::string_view position) const {
    const HloPosition at = positionOf(*module_, position);
    std::vector<std::string> names;
    for (const BufferId id : analysis_->buffersAt(*at.instruction, at.index)) {
      for (const ValueId value : analysis_->buffers()[id.value].values)
        names.push_back(toString(analysis_->dataflow().value(value).definition()));
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, " "));
  }
  bool livesOut(std::string_view position) const {
    const HloPosition at = positionOf(*module_, position);
    return analysis_->uniqueBufferAt(*at.instruction, at.index).livesOut;
  }
  size_t count() const { return analysis_->buffers().size(); }

 private:
  std::unique_ptr<Module> module_;
  Result<AliasAnalysis> analysis_;
};

TEST(AliasAnalysis, ValuesAreApartUnlessSomethingJoinsThem) {
  const Aliases m(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  t = (f32[], f32[], f32[]) tuple(a, b, a)
  g = f32[] get-tuple-element(t), index=0
  ROOT s = f32[] add(g, b)
})");
  EXPECT_EQ(m.count(), 4u);
  EXPECT_EQ(m.with("g"), "a");
  EXPECT_EQ(m.with("t{2}"), "a");
  EXPECT_TRUE(m.livesOut("s"));
  EXPECT_FALSE(m.livesOut("a"));
}

TEST(AliasAnalysis, EntryResultsTakeTheParametersTheyAreToldTo) {
  const Aliases straight(
      R"(HloModule m, input_output_alias={ {0}: (0, {0}, may-alias), {1}: (0, {1}, must-alias) }
ENTRY e {
  p = (f32[], f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p), index=0
  g1 = f32[] get-tuple-element(p), index=1
  n0 = f32[] negate(g0)
  n1 = f32[] negate(g1)
  ROOT t = (f32[], f32[]) tuple(n0, n1)
})");
  EXPECT_EQ(straight.with("g0"), "n0 p{0}");
  EXPECT_EQ(straight.with("t{1}"), "n1 p{1}");
  const Aliases crossed(R"(HloModule m, input_output_alias={ {0}: (0, {1}), {1}: (0, {0}) }
ENTRY e {
  p = (f32[], f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p), index=0
  g1 = f32[] get-tuple-element(p), index=1
  ROOT t = (f32[], f32[]) tuple(g0, g1)
})");
  EXPECT_EQ(crossed.with("t{0}"), "p{0} p{1}");
}

TEST(AliasAnalysis, LoopsCarryInOnePlace) {
  const Aliases m(R"(HloModule m, input_output_alias={ {1}: (0, {1}) }
body {
  p = (f32[], f32[]) parameter(0)
  g0 = f32[] get-tuple-element(p), index=0
  g1 = f32[] get-tuple-element(p), index=1
  add = f32[] add(g0, g1)
  ROOT r = (f32[], f32[]) tuple(g0, add)
}
cond { q = (f32[], f32[]) parameter(0) ROOT no = pred[] constant(false) }
ENTRY e {
  in = (f32[], f32[]) parameter(0)
  w = (f32[], f32[]) while(in), condition=cond, body=body
  w1 = f32[] get-tuple-element(w), index=1
  n = f32[] negate(w1)
  w0 = f32[] get-tuple-element(w), index=0
  ROOT t = (f32[], f32[]) tuple(w0, n)
})");
  EXPECT_EQ(m.with("w{0}"), "in{0}");
  EXPECT_EQ(m.with("w{1}"), "add in{1} n p{1} q{1} w{1}");
  EXPECT_EQ(m.with("w"), "in{} p{} q{} r{} w{}");  // the tables of pointers too
}

TEST(AliasAnalysis, BranchesGiveBackInOnePlace) {
  const Aliases m(R"(HloModule m
yes { y = f32[] parameter(0) ROOT yn = f32[] negate(y) }
no { z = f32[] parameter(0) ROOT zn = f32[] sine(z) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[] parameter(1)
  ROOT c = f32[] conditional(p, a, a), true_computation=yes, false_computation=no
})");
  EXPECT_EQ(m.with("c"), "c yn zn");
  EXPECT_EQ(m.with("y"), "a");
}

TEST(AliasAnalysis, UpdatesHappenInPlace) {
  const Aliases m(R"(HloModule m
fused {
  p0 = f32[8] parameter(0)
  p1 = f32[2] parameter(1)
  p2 = s32[] parameter(2)
  d0 = f32[8] dynamic-update-slice(p0, p1, p2)
  d1 = f32[8] dynamic-update-slice(d0, p1, p2)
  n = f32[8] negate(d1)
  ROOT t = (f32[8], f32[8]) tuple(n, d1)
}
ENTRY e {
  a = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  d = f32[8] dynamic-update-slice(a, u, i)
  d2 = f32[8] dynamic-update-slice(d, u, i)
  x = f32[8] negate(d2)
  ROOT f = (f32[8], f32[8]) fusion(x, u, i), kind=kLoop, calls=fused
})");
  EXPECT_EQ(m.with("a"), "a d d2");
  // A chain of updates is not looked through: the outer one's operand is no parameter.
  EXPECT_EQ(m.with("f{1}"), "f{1}");
  EXPECT_EQ(m.with("d1"), "d0 d1 p0");
}

TEST(AliasAnalysis, AComputationCalledTwiceHasValuesInSeveralBuffers) {
  const Aliases m(R"(HloModule m
sub { p0 = f32[] parameter(0) p1 = f32[] parameter(1) ROOT add = f32[] add(p0, p1) }
ENTRY e {
  a = f32[] constant(1)
  b = f32[] constant(2)
  x = f32[] call(a, b), to_apply=sub
  ROOT y = f32[] call(x, b), to_apply=sub
})");
  EXPECT_EQ(m.with("p0"), "a add");
  EXPECT_EQ(m.with("y"), "add");
  EXPECT_EQ(m.count(), 3u);
}

TEST(AliasAnalysis, LoopsThatShareABodyAreRefused) {
  const auto module = parsed(R"(HloModule m
body { p = f32[] parameter(0) ROOT n = f32[] negate(p) }
cond { q = f32[] parameter(0) ROOT no = pred[] constant(false) }
ENTRY e {
  a = f32[] constant(1)
  w = f32[] while(a), condition=cond, body=body
  ROOT v = f32[] while(w), condition=cond, body=body
})");
  const auto analysis = AliasAnalysis::run(*module);
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.error().kind, "call-graph-not-flat");
}

}  // namespace
}  // namespace hilo
