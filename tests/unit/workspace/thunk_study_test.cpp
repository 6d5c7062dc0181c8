#include "core/workspace/thunk_study.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kLoop = R"(HloModule m

%cond (t: (s32[], f32[64])) -> pred[] {
  %t = (s32[], f32[64]) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(3)
  ROOT %less = pred[] compare(%i, %n), direction=LT
}

%body (u: (s32[], f32[64])) -> (s32[], f32[64]) {
  %u = (s32[], f32[64]) parameter(0)
  %k = s32[] get-tuple-element(%u), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%k, %one)
  %v = f32[64] get-tuple-element(%u), index=1
  %inside = f32[64] tanh(%v)
  ROOT %r = (s32[], f32[64]) tuple(%next, %inside)
}

ENTRY %main (x: f32[64]) -> f32[64] {
  %x = f32[64] parameter(0)
  %first = f32[64] exponential(%x)
  %zero = s32[] constant(0)
  %start = (s32[], f32[64]) tuple(%zero, %first)
  %loop = (s32[], f32[64]) while(%start), condition=%cond, body=%body
  %got = f32[64] get-tuple-element(%loop), index=1
  ROOT %last = f32[64] negate(%got)
}
)";

class ThunkStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    module = std::move(parseModule(kLoop).module);
    auto made = studyThunks(module, {});
    ASSERT_TRUE(made) << made.error().message;
    study = std::move(*made);
  }
  // The copies into a loop's state have its name too.
  uint32_t find(std::string_view name) const {
    for (uint32_t i = 0; i < study.thunks.size(); ++i) {
      if (study.thunks[i].name == name && study.thunks[i].kind != "copy") return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  std::shared_ptr<const Module> module;
  ThunkStudy study;
};

TEST_F(ThunkStudyTest, bodiesStandWithinTheLoop) {
  const uint32_t loop = find("loop");
  EXPECT_EQ(study.thunks[loop].kind, "while");
  EXPECT_EQ(study.thunks[find("inside")].parent, loop);
  EXPECT_EQ(study.thunks[find("inside")].part, "body");
  EXPECT_EQ(study.thunks[find("less")].part, "condition");
  EXPECT_EQ(study.thunks[find("first")].parent, StudiedThunk::kNone);
  for (const StudiedThunk& thunk : study.thunks) {
    ASSERT_EQ(thunk.instructions.size(), 1u);
    EXPECT_EQ(module->instruction(thunk.instructions[0])->name(), thunk.name);
  }
}

TEST_F(ThunkStudyTest, hazardsSayWhy) {
  EXPECT_TRUE(study.races.empty());
  // first, perhaps a copy, loop, last: each waits for what is before it.
  std::vector<uint32_t> waits(study.thunks.size(), 0);
  for (const ThunkHazard& hazard : study.hazards) {
    EXPECT_LT(hazard.from, hazard.to);
    EXPECT_EQ(study.thunks[hazard.from].parent, study.thunks[hazard.to].parent);
    EXPECT_TRUE(hazard.readAfterWrite || hazard.writeAfterRead || hazard.writeAfterWrite);
    ++waits[hazard.to];
    if (hazard.to == find("last")) EXPECT_TRUE(hazard.readAfterWrite);
  }
  EXPECT_GT(waits[find("last")], 0u);
  EXPECT_GT(waits[find("loop")], 0u);
  EXPECT_EQ(waits[find("first")], 0u);
}

TEST_F(ThunkStudyTest, everythingThatRanHasATime) {
  for (const StudiedThunk& thunk : study.thunks) EXPECT_GE(thunk.measuredNs, 0) << thunk.name;
  EXPECT_GE(study.thunks[find("loop")].measuredNs, study.thunks[find("inside")].measuredNs);
  EXPECT_EQ(study.thunks[find("first")].reads.size(), 1u);
  EXPECT_EQ(study.thunks[find("first")].reads[0], "parameter 0 [0, 256)");
}

TEST_F(ThunkStudyTest, kernelsAreShownInThreeForms) {
  const auto text = kernelText(study, find("first"));
  ASSERT_TRUE(text) << text.error().message;
  for (const char* part : {"LLVM IR as emitted", "LLVM IR, optimised", "assembly", "define"})
    EXPECT_NE(text->find(part), std::string::npos) << part;
  EXPECT_EQ(kernelText(study, find("loop")).error().kind, "no-kernel");
}

}  // namespace
}  // namespace hilo
