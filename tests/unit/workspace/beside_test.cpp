// XLA's stages and our steps in one series.
#include "core/workspace/passes/beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Module> moduleThat(std::string_view opcode) {
  return moduleOf(fmt::format("ENTRY e {{ a = f32[4] parameter(0)\n ROOT r = f32[4] {}(a) }}", opcode));
}

SeriesStep stage(std::string name, std::string pipeline, std::string_view opcode) {
  SeriesStep step = makeLazyStep(std::move(name), [module = moduleThat(opcode)] {
    return Result<std::shared_ptr<const Module>>(module);
  });
  step.pipeline = std::move(pipeline);
  return step;
}
SeriesStep step(std::string name, std::string pipeline, std::string_view opcode,
                StepKind kind = StepKind::Pass) {
  SeriesStep made = makeStep(std::move(name), moduleThat(opcode), kind);
  made.pipeline = std::move(pipeline);
  return made;
}

PassSeries both() {
  const PassSeries theirs{.title = "m",
                          .steps = {stage("before_optimizations", "", "negate"),
                                    stage("dce", "simplify", "abs"), stage("theirs-alone", "simplify", "abs"),
                                    stage("cse", "late", "sign"), stage("after_optimizations", "", "sign")}};
  const PassSeries ours{
      .title = "m",
      .steps = {step("input", "", "negate", StepKind::Input), step("dce", "early", "negate"),
                step("dce", "simplify", "abs"), step("cse", "late", "tanh"), step("fusion", "late", "tanh"),
                step("buffers", "", "tanh", StepKind::Lowering)},
      .sharedIds = true};
  return besideSeries(theirs, ours);
}

std::vector<std::string> namesOf(const PassSeries& series) {
  std::vector<std::string> names;
  for (size_t n = 0; n < series.steps.size(); ++n)
    names.push_back((series.isTheirs(n) ? "XLA " : "") + series.steps[n].name);
  return names;
}

TEST(Beside, StagesStandBeforeOurStepOfTheirPass) {
  EXPECT_THAT(namesOf(both()),
              ElementsAre("XLA before_optimizations", "input", "dce", "XLA dce", "dce", "XLA theirs-alone",
                          "XLA cse", "cse", "XLA after_optimizations", "fusion", "buffers"));
}

TEST(Beside, EachSideGoesItsOwnWay) {
  const PassSeries series = both();
  EXPECT_EQ(series.previousOf(0), std::nullopt);
  EXPECT_EQ(series.previousOf(1), std::nullopt);
  EXPECT_EQ(series.previousOf(4), 2u);
  EXPECT_EQ(series.previousOf(6), 5u);
  EXPECT_EQ(series.nextOf(0), 3u);
  EXPECT_EQ(series.nextOf(8), std::nullopt);
  EXPECT_TRUE(series.shareIds(2, 4));
  EXPECT_FALSE(series.shareIds(3, 4));
}

TEST(Beside, PairsAreOfOneNameAndOfBothEnds) {
  const PassSeries series = both();
  EXPECT_EQ(twinOf(series, 0), 1u);
  EXPECT_EQ(twinOf(series, 2), std::nullopt);  // a dce of another pipeline
  EXPECT_EQ(twinOf(series, 3), 4u);
  EXPECT_EQ(twinOf(series, 4), 3u);
  EXPECT_EQ(twinOf(series, 5), std::nullopt);
  EXPECT_EQ(twinOf(series, 8), 9u);  // what both end with
  EXPECT_EQ(twinOf(series, 10), std::nullopt);
}

TEST(Beside, PairsAreCompared) {
  const auto pairs = comparePairs(both(), {});
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 4u);
  EXPECT_TRUE((*pairs)[0].isSame());
  EXPECT_TRUE((*pairs)[1].isSame());
  EXPECT_FALSE((*pairs)[2].isSame());  // sign and tanh
  EXPECT_EQ((*pairs)[2].theirs, 2u);
  EXPECT_FALSE((*pairs)[3].isSame());
}

TEST(Beside, OurPipelineRunsOverTheFirstStage) {
  const PassSeries theirs{.title = "m", .steps = {stage("before_optimizations", "", "negate")}};
  const auto series = oursBesideStages(theirs, {.passes = {"dce"}}, {});
  ASSERT_TRUE(series) << toString(series.error());
  EXPECT_THAT(namesOf(*series), ElementsAre("XLA before_optimizations", "input", "dce"));
  EXPECT_TRUE(series->hasBoth);
}

}  // namespace
}  // namespace hilo
