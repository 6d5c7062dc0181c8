#include "core/workspace/thunks/thunk_study.h"

#include <gtest/gtest.h>

#include "core/workspace/run/runs.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

std::shared_ptr<Module> loopModule() {
  return moduleOf(countingLoop("f32[64]", 3, "w = f32[64] tanh(v)") + R"(
ENTRY main { x = f32[64] parameter(0)
  first = f32[64] exponential(x)
  zero = s32[] constant(0)
  start = (s32[], f32[64]) tuple(zero, first)
  loop = (s32[], f32[64]) while(start), condition=condition, body=body
  got = f32[64] get-tuple-element(loop), index=1
  ROOT last = f32[64] negate(got) }
)");
}

class ThunkStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    module = loopModule();
    auto made = studyThunks(module, {}, {});
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
  EXPECT_EQ(study.thunks[find("w")].parent, loop);
  EXPECT_EQ(study.thunks[find("w")].part, "body");
  EXPECT_EQ(study.thunks[find("goOn")].part, "condition");
  EXPECT_EQ(study.thunks[find("first")].parent, StudiedThunk::kNone);
  for (const StudiedThunk& thunk : study.thunks) {
    ASSERT_EQ(thunk.instructions.size(), 1u);
    EXPECT_EQ(module->instruction(thunk.instructions[0])->name(), thunk.name);
  }
}

// Their sizes are an allocation of a kind of its own.
TEST(ThunkStudyOfDynamicArguments, SizesOfArgumentsHaveAName) {
  const std::shared_ptr<Module> module = moduleOf(R"(
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main { x = f32[<=8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum }
)");
  const auto study = compileThunks(module, {});
  ASSERT_TRUE(study) << study.error().message;
  bool named = false;
  for (const StudiedThunk& thunk : study->thunks) {
    for (const ThunkUse& use : thunk.uses) named |= use.place.starts_with("sizes of arguments ");
  }
  EXPECT_TRUE(named);
}

// As torch_xla writes them: only the groups say how many devices there are.
TEST(ThunkStudyOfCollectives, RunsOnTheDevicesThatGroupsNameWhereTheHeaderDoesNotSay) {
  const auto study = studyThunks(moduleOf(R"(
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main { x = f32[8] parameter(0)
  ROOT r = f32[8] all-reduce(x), replica_groups={{0,1}}, to_apply=sum }
)"),
                                 {}, {});
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_NE(study->title.find("on 2 devices"), std::string::npos) << study->title;
  EXPECT_GT(study->thunks.at(0).measuredNs, 0);
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
  EXPECT_GE(study.thunks[find("loop")].measuredNs, study.thunks[find("w")].measuredNs);
}

TEST_F(ThunkStudyTest, compiledAloneAllButTimesIsKnown) {
  const auto compiled = compileThunks(module, {});
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_EQ(compiled->thunks.size(), study.thunks.size());
  EXPECT_EQ(compiled->hazards.size(), study.hazards.size());
  EXPECT_TRUE(compiled->timeline.empty());
  for (size_t i = 0; i < compiled->thunks.size(); ++i) {
    EXPECT_EQ(compiled->thunks[i].measuredNs, -1);
    EXPECT_EQ(compiled->thunks[i].uses.size(), study.thunks[i].uses.size());
  }
  EXPECT_TRUE(kernelForms(*compiled, find("first")));
}

TEST_F(ThunkStudyTest, aKeptRunsTimesAreJoinedByNameAndKind) {
  // The copies into the loop's state have its name; "fused" is a thunk that passes made before the run.
  RunRecord run{.id = RunId{5},
                .moduleName = std::string(module->name()),
                .thunkTimes = {{.name = "loop", .kind = "while", .sequence = 0, .thunk = 9, .totalNs = 400},
                               {.name = "w", .kind = "kernel", .sequence = 2, .totalNs = 30},
                               {.name = "fused", .kind = "kernel", .sequence = 0, .totalNs = 7}}};
  const auto timed = withTimesOf(study, run);
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ(timed->title, study.title + ", times of run 5");
  EXPECT_TRUE(timed->timeline.empty());
  EXPECT_EQ(timed->thunks[find("loop")].measuredNs, 400);
  EXPECT_EQ(timed->thunks[find("w")].measuredNs, 30);
  EXPECT_EQ(timed->thunks[find("first")].measuredNs, -1);
  run.thunkTimes = {{.name = "fused", .kind = "kernel"}};
  EXPECT_EQ(withTimesOf(study, run).error().kind, "other-module");
  EXPECT_TRUE(hasTimesOf(study, run));
  run.moduleName = "another";
  EXPECT_FALSE(hasTimesOf(study, run));
}

TEST_F(ThunkStudyTest, usesSayWhereBytesLie) {
  const auto& uses = study.thunks[find("first")].uses;
  const auto read = std::ranges::find(uses, false, &ThunkUse::writes);
  ASSERT_NE(read, uses.end());
  EXPECT_EQ(read->place, "parameter 0 [0, 256)");
  EXPECT_EQ(read->value, "x");
  EXPECT_EQ(std::ranges::count(uses, true, &ThunkUse::writes), 1);
}

// What a loop carries is of the loop, inside it and for who reads it afterwards.
TEST_F(ThunkStudyTest, usesSayWhichValueLiesThere) {
  const auto valueOf = [&](const char* name, bool writes) {
    const auto& uses = study.thunks[find(name)].uses;
    const auto use = std::ranges::find(uses, writes, &ThunkUse::writes);
    return use == uses.end() ? std::string("nothing") : use->value;
  };
  EXPECT_EQ(valueOf("first", true), "first");
  EXPECT_EQ(valueOf("w", false), "loop");
  EXPECT_EQ(valueOf("w", true), "w");
  EXPECT_EQ(valueOf("goOn", false), "loop");
  EXPECT_EQ(valueOf("last", false), "loop");
}

TEST_F(ThunkStudyTest, theGuessOfALoopIsThatOfAllItsTurns) {
  const uint32_t loop = find("loop");
  int64_t turn = 0;
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == loop) turn += thunk.estimatedNs;
  }
  EXPECT_GT(turn, 0);
  EXPECT_EQ(study.thunks[loop].estimatedNs, 3 * turn);
}

TEST(ThunkStudy, ConstantsThatWereNotPrintedAreMadeUpAndThatIsSaid) {
  const std::shared_ptr<const Module> module = std::move(parseModule(R"(HloModule m
ENTRY e { p = f32[32] parameter(0)
  c = f32[32] constant({...})
  ROOT s = f32[32] add(p, c) })")
                                                             .module);
  const auto study = studyThunks(module, {}, {});
  ASSERT_TRUE(study) << toString(study.error());
  EXPECT_NE(study->title.find("elided constants"), std::string::npos) << study->title;
}

// Once for each turn of the loop, within the loop's own span.
TEST_F(ThunkStudyTest, theTimelineHasEveryExecution) {
  const auto spansOf = [&](const char* name) {
    std::vector<ThunkSpan> spans;
    for (const ThunkSpan& span : study.timeline) {
      if (span.thunk == find(name)) spans.push_back(span);
    }
    return spans;
  };
  EXPECT_EQ(study.droppedSpans, 0);
  ASSERT_EQ(spansOf("loop").size(), 1u);
  ASSERT_EQ(spansOf("w").size(), 3u);
  EXPECT_EQ(spansOf("goOn").size(), 4u);
  const ThunkSpan loop = spansOf("loop")[0];
  for (const ThunkSpan& span : spansOf("w")) {
    EXPECT_GE(span.startNs, loop.startNs);
    EXPECT_LE(span.startNs + span.durationNs, loop.startNs + loop.durationNs);
  }
}

TEST_F(ThunkStudyTest, aHazardTakenOutIsARace) {
  EXPECT_TRUE(study.isChecked);
  ASSERT_TRUE(findRaces(study).empty());
  const uint32_t last = find("last");
  std::erase_if(study.hazards, [&](const ThunkHazard& hazard) { return hazard.to == last; });
  const std::vector<ThunkRace> races = findRaces(study);
  ASSERT_FALSE(races.empty());
  for (const ThunkRace& race : races) EXPECT_EQ(race.second, last);
  EXPECT_TRUE(races[0].use.writes);
  const Diagnostic said = diagnosticOf(study, races[0]);
  EXPECT_EQ(said.kind, "data-race");
  EXPECT_NE(said.message.find("last"), std::string::npos) << said.message;
}

// As a saved program that was tampered with would have it: a kernel that writes where another one reads.
TEST_F(ThunkStudyTest, bytesMovedOntoOthersAreARace) {
  const uint32_t inside = find("w");
  ThunkUse& written = *std::ranges::find(study.thunks[inside].uses, true, &ThunkUse::writes);
  const ThunkUse& counter = *std::ranges::find(study.thunks[find("next")].uses, true, &ThunkUse::writes);
  written.allocation = counter.allocation;
  written.offsetBytes = counter.offsetBytes;
  const std::vector<ThunkRace> races = findRaces(study);
  ASSERT_FALSE(races.empty());
  for (const ThunkRace& race : races) EXPECT_TRUE(race.first == inside || race.second == inside);
}

TEST_F(ThunkStudyTest, kernelsAreShownInFourForms) {
  const auto shown = kernelForms(study, find("first"));
  ASSERT_TRUE(shown) << shown.error().message;
  std::vector<std::string> titles;
  for (const KernelForm& form : shown->forms) titles.push_back(form.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"HLO", "LLVM IR as emitted", "LLVM IR, optimised", "assembly"}));
  EXPECT_NE(shown->forms[0].text.find("exponential(x)"), std::string::npos) << shown->forms[0].text;
  EXPECT_NE(shown->forms[1].text.find("define"), std::string::npos);
  EXPECT_NE(shown->forms[3].text.find("ret"), std::string::npos);
  for (const KernelForm& form : shown->forms) EXPECT_EQ(form.text.find("!dbg"), std::string::npos);
  EXPECT_EQ(kernelForms(study, find("loop")).error().kind, "no-kernel");
}

}  // namespace
}  // namespace hilo
