#include "core/analysis/memory/memory_profile.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Steps: p 0, a 1, b 2, c 3, r 4. Sizes in bytes: p 400, a 400, b 400, c 200, r 200.
constexpr const char* kModule = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] negate(p), metadata={op_name="f/one/neg" source_file="m.py" source_line=3}
  b = f32[100] reverse(a), dimensions={0}, metadata={op_name="f/one/rev" source_file="m.py" source_line=4}
  c = f32[50] slice(b), slice={[0:50]}, metadata={op_name="f/two/slice" source_file="m.py" source_line=4}
  ROOT r = f32[50] reverse(c), dimensions={0}
})";

// As XLA would lay it out: c where a was, b behind it.
constexpr const char* kPlan = R"(BufferAssignment:
allocation 0: size 400, parameter 0, shape |f32[100]| at ShapeIndex {}:
 value: <0 p @0> (size=400,offset=0): f32[100]{0}
allocation 1: size 200, output shape is |f32[50]|, maybe-live-out:
 value: <4 r @0> (size=200,offset=0): f32[50]{0}
allocation 2: size 1000, preallocated-temp:
 value: <1 a @0> (size=400,offset=0): f32[100]{0}
 value: <2 b @0> (size=400,offset=400): f32[100]{0}
 value: <3 c @0> (size=200,offset=0): f32[50]{0}
 value: <9 gone @0> (size=8,offset=800): f32[2]{0}

Total bytes used: 1600 (1.6KiB)
)";

class MemoryProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    module_ = *parseModuleStrictly(kModule);
    aliases_ = AliasAnalysis::run(*module_);
    ASSERT_TRUE(aliases_);
    const auto plan = parseBufferAssignment(kPlan);
    ASSERT_TRUE(plan) << toString(plan.error());
    profile_ = profileMemory(ValueLiveRanges(*aliases_), *plan);
  }
  std::string names(const std::vector<size_t>& values) const {
    std::vector<std::string> list;
    for (const size_t i : values) list.push_back(profile_.values[i].name);
    return fmt::format("{}", fmt::join(list, " "));
  }
  std::unique_ptr<Module> module_;
  Result<AliasAnalysis> aliases_;
  MemoryProfile profile_;
};

TEST_F(MemoryProfileTest, SumsAllocationsByWhatTheyAreFor) {
  EXPECT_EQ(profile_.totals.parameters, 400);
  EXPECT_EQ(profile_.totals.outputs, 200);
  EXPECT_EQ(profile_.totals.temporaries, 1000);
  EXPECT_EQ(profile_.totals.total, 1600);
  EXPECT_EQ(profile_.unknownValues, 1u);
}

TEST_F(MemoryProfileTest, KnowsWhatIsInUseAtEachStep) {
  // The parameter stays; a and b overlap at 2, b and c at 3, c and r at 4; r stays to the end.
  EXPECT_EQ(profile_.liveBytes, (std::vector<int64_t>{400, 800, 1200, 1000, 800, 600}));
  EXPECT_EQ(profile_.peakStep, 2);
  EXPECT_EQ(profile_.peakBytes, 1200);
  EXPECT_EQ(profile_.fragmentationBytes(), 400);
  EXPECT_EQ(names(liveSetAt(profile_, 2)), "p a b");
  EXPECT_EQ(names(liveSetAt(profile_, 3)), "p b c");
  EXPECT_EQ(names(liveSetAt(profile_, 3, false)), "b c");
}

TEST_F(MemoryProfileTest, GroupsByScopeSourceAndOpcode) {
  const auto live = liveSetAt(profile_, 2, false);
  const auto scopes = groupValues(profile_, *module_, live, MemoryGrouping::Scope);
  ASSERT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[0].name, "f/one");
  EXPECT_EQ(scopes[0].bytes, 800);
  const auto sources = groupValues(profile_, *module_, liveSetAt(profile_, 3, false), MemoryGrouping::Source);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].name, "m.py:4");
  EXPECT_EQ(sources[0].values, 2u);
  const auto opcodes = groupValues(profile_, *module_, live, MemoryGrouping::Opcode);
  EXPECT_EQ(opcodes.size(), 2u);
}

// The parameter comes from the host's memory and b goes there: neither is the device's at any step.
TEST(MemoryProfileOfHost, IsSummedApart) {
  const auto module = *parseModuleStrictly(kModule);
  const auto aliases = AliasAnalysis::run(*module);
  ASSERT_TRUE(aliases);
  const auto plan = parseBufferAssignment(R"(BufferAssignment:
allocation 0: size 400, color 5, parameter 0, shape |f32[100]| at ShapeIndex {}:
 value: <0 p @5> (size=400,offset=0): f32[100]{0}
allocation 1: size 200, output shape is |f32[50]|, maybe-live-out:
 value: <4 r @0> (size=200,offset=0): f32[50]{0}
allocation 2: size 400, preallocated-temp:
 value: <1 a @0> (size=400,offset=0): f32[100]{0}
 value: <3 c @0> (size=200,offset=0): f32[50]{0}
allocation 3: size 400, color 5, preallocated-temp:
 value: <2 b @5> (size=400,offset=0): f32[100]{0}

Total bytes used: 1400 (1.4KiB)
)");
  ASSERT_TRUE(plan) << toString(plan.error());
  const MemoryProfile profile = profileMemory(ValueLiveRanges(*aliases), *plan);
  EXPECT_EQ(profile.totals.host, 800);
  EXPECT_EQ(profile.totals.total, 600);
  EXPECT_EQ(profile.totals.parameters, 0);
  EXPECT_EQ(profile.liveBytes, (std::vector<int64_t>{0, 400, 400, 200, 400, 200}));
  EXPECT_EQ(profile.unknownValues, 0u);
}

TEST(MustAliases, NamesLoopsUpdatesAndDonatedParameters) {
  const auto module = *parseModuleStrictly(R"(HloModule m, input_output_alias={ {}: (0, {}) }
body {
  p = (f32[8], s32[]) parameter(0)
  g = f32[8] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  u = f32[2] constant({1,2})
  d = f32[8] dynamic-update-slice(g, u, i)
  ROOT r = (f32[8], s32[]) tuple(d, i)
}
cond { q = (f32[8], s32[]) parameter(0) ROOT no = pred[] constant(false) }
ENTRY e {
  x = f32[8] parameter(0)
  z = s32[] parameter(1)
  t = (f32[8], s32[]) tuple(x, z)
  w = (f32[8], s32[]) while(t), condition=cond, body=body
  ROOT o = f32[8] get-tuple-element(w), index=0
})");
  const auto aliases = AliasAnalysis::run(*module);
  ASSERT_TRUE(aliases);
  std::vector<std::string> rows;
  for (const AliasRow& row : mustAliases(*aliases))
    rows.push_back(fmt::format("{} {} {}->{}", row.bytes, row.kind, row.from, row.to));
  EXPECT_EQ(rows, (std::vector<std::string>{"32 in-place g->d", "32 loop t{0}->w{0}", "32 input-output x->o",
                                            "4 loop t{1}->w{1}"}));
}

}  // namespace
}  // namespace hilo
