// From when to when values are needed: the properties XLA's hlo_live_range_test.cc asserts.
#include "core/analysis/dataflow/value_live_ranges.h"

#include "core/analysis/execution_order.h"
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

class Ranges {
 public:
  explicit Ranges(std::string text)
      : module_(parsed(std::move(text))), aliases_(AliasAnalysis::run(*module_)), ranges_(*aliases_) {}
  std::string of(std::string_view position) const {
    const HloPosition at = positionOf(*module_, position);
    const auto& range = ranges_.of(aliases_->dataflow().uniqueValueAt(*at.instruction, at.index).id);
    return range ? fmt::format("{}-{}", range->start, range->end) : "none";
  }
  std::string sequence() const {
    std::vector<std::string_view> names;
    for (const Instruction* instruction : ranges_.sequence()) names.push_back(instruction->name());
    return fmt::format("{}", fmt::join(names, " "));
  }

 private:
  std::unique_ptr<Module> module_;
  Result<AliasAnalysis> aliases_;
  ValueLiveRanges ranges_;
};

TEST(LiveRanges, OfAStraightLine) {
  const Ranges m(R"(HloModule m, is_scheduled=true
ENTRY e {
  a = f32[4] parameter(0)
  x = f32[4] parameter(1)
  mul = f32[4] multiply(a, x)
  y = f32[4] parameter(2)
  ROOT add = f32[4] add(mul, y)
})");
  // Parameters are there from the start to the end; the result from its step to the end.
  EXPECT_EQ(m.of("a"), "0-5");
  EXPECT_EQ(m.of("y"), "0-5");
  EXPECT_EQ(m.of("mul"), "2-4");
  EXPECT_EQ(m.of("add"), "4-5");
}

TEST(LiveRanges, AnAliasedParameterEndsWhereTheResultTakesItsPlace) {
  const Ranges m(R"(HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}) }
ENTRY e {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  s = f32[4] sine(n)
  ROOT c = f32[4] cosine(s)
})");
  EXPECT_EQ(m.of("a"), "0-1");
  EXPECT_EQ(m.of("c"), "3-4");
}

TEST(LiveRanges, LoopsPassTheirStateFromStepToStep) {
  const Ranges m(R"(HloModule m, is_scheduled=true
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[8] get-tuple-element(p), index=1
  add = f32[8] add(v, v)
  ROOT r = (s32[], f32[8]) tuple(i, add)
}
cond { q = (s32[], f32[8]) parameter(0) ROOT no = pred[] constant(false) }
ENTRY e {
  z = s32[] constant(0)
  f = f32[8] iota(), iota_dimension=0
  t = (s32[], f32[8]) tuple(z, f)
  ROOT w = (s32[], f32[8]) while(t), condition=cond, body=body
})");
  EXPECT_EQ(m.sequence(), "z f t q no p i v add r w");
  EXPECT_EQ(m.of("f"), "1-3");  // until the condition's parameter takes over
  EXPECT_EQ(m.of("q{1}"), "3-5");
  EXPECT_EQ(m.of("p{1}"), "5-8");
  EXPECT_EQ(m.of("add"), "8-10");
  EXPECT_EQ(m.of("w{1}"), "10-11");
}

TEST(LiveRanges, AnAsynchronousCallKeepsItsValuesToTheDone) {
  const Ranges m(R"(HloModule m, is_scheduled=true
called {
  p0 = f32[8] parameter(0)
  n0 = f32[8] negate(p0)
  ROOT r0 = f32[8] sine(n0)
}, execution_thread="other"
ENTRY e {
  a = f32[8] parameter(0)
  k = f32[8] cosine(a)
  s = ((f32[8]), f32[8], s32[]) async-start(k), async_execution_thread="other", calls=called
  u = f32[8] exponential(a)
  d = f32[8] async-done(s)
  ROOT o = f32[8] add(u, d)
})");
  EXPECT_EQ(m.sequence(), "a k p0 n0 r0 s u d o");
  EXPECT_EQ(m.of("n0"), "3-7");
  EXPECT_EQ(m.of("k"), "1-7");
  EXPECT_EQ(m.of("r0"), "4-8");
}

TEST(LiveRanges, OperandsBoundLateLetTheCallWait) {
  const Ranges m(R"(HloModule m, is_scheduled=true
sub { p0 = f32[] parameter(0) p1 = f32[] parameter(1) ROOT add = f32[] add(p0, p1) }
ENTRY e {
  c1 = f32[] constant(1)
  c2 = f32[] constant(2)
  s = ((), f32[], s32[]) async-start(), calls=sub
  u0 = ((f32[]), f32[], s32[]) async-update(s, c1)
  u1 = ((f32[], f32[]), f32[], s32[]) async-update(u0, c2)
  ROOT d = f32[] async-done(u1)
})");
  EXPECT_EQ(m.sequence(), "c1 c2 s u0 p0 p1 add u1 d");
}

TEST(ExecutionOrder, ByEdgesByScheduleAndAcrossCalls) {
  const char* text = R"(HloModule m
yes { y = f32[] parameter(0) ROOT yn = f32[] negate(y) }
no { z = f32[] parameter(0) ROOT zn = f32[] sine(z) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[] parameter(1)
  n = f32[] negate(a)
  s = f32[] sine(a), control-predecessors={n}
  t = f32[] tanh(a)
  c = f32[] conditional(p, n, t), true_computation=yes, false_computation=no
  ROOT r = f32[] add(c, s)
})";
  const auto relation = [](const Module& module, std::string_view a, std::string_view b) {
    const auto calls = CallGraph::build(module);
    ExecutionOrder order(module, *calls);
    return order.between(*module.findInstruction(a), *module.findInstruction(b));
  };
  const auto module = parsed(text);
  using enum ExecutionConstraint;
  EXPECT_EQ(relation(*module, "a", "r"), BeforeStart);
  EXPECT_EQ(relation(*module, "n", "s"), BeforeStart);
  EXPECT_EQ(relation(*module, "s", "t"), Unordered);
  EXPECT_EQ(relation(*module, "yn", "zn"), ExclusiveBefore);
  EXPECT_EQ(relation(*module, "zn", "yn"), ExclusiveAfter);
  EXPECT_EQ(relation(*module, "yn", "c"), BeforeEnd);
  EXPECT_EQ(relation(*module, "yn", "r"), BeforeStart);
  EXPECT_EQ(relation(*module, "n", "n"), Same);
  std::string scheduled = text;
  scheduled.replace(0, 11, "HloModule m, is_scheduled=true");
  EXPECT_EQ(relation(*parsed(scheduled), "s", "t"), BeforeStart);
}

}  // namespace
}  // namespace hilo
