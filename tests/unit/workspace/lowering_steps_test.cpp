// Buffers and emit as steps of a series: they make no module, and say what they decided.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/engines.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::Field;
using testing::HasSubstr;

Result<PassSeries> lowered(const char* text, bool lowers = true) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  return optimize({.module = *std::move(module), .pipeline = "cpu", .lowers = lowers}, JobContext());
}

constexpr const char* kTwoProducts = R"(HloModule m
ENTRY e { x = f32[256,256] parameter(0)
  d = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, frontend_attributes={hilo_dot_method="library"}
  t = f32[256,256] dot(d, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[256,256] exponential(t) })";

TEST(LoweringSteps, FollowThePassesAndKeepTheirModule) {
  const auto series = lowered(kTwoProducts);
  ASSERT_TRUE(series) << toString(series.error());
  const size_t count = series->steps.size();
  const SeriesStep &last = series->steps[count - 3], &buffers = series->steps[count - 2],
                   &emit = series->steps[count - 1];
  EXPECT_EQ(last.name, "cpu-scheduler");
  EXPECT_FALSE(last.isLowering());
  EXPECT_EQ(buffers.name, "buffers");
  EXPECT_EQ(emit.name, "emit");
  for (const SeriesStep* step : {&buffers, &emit}) {
    EXPECT_TRUE(step->isLowering());
    EXPECT_EQ(step->pipeline, "lower");
    EXPECT_EQ(step->moduleIfLoaded(), last.moduleIfLoaded());
    EXPECT_FALSE(step->changed());
    EXPECT_GE(step->durationNs, 0);
  }
  const auto without = lowered(kTwoProducts, false);
  EXPECT_EQ(without->steps.size(), count - 2);
}

// d, t and r are 256 KiB each.
TEST(LoweringSteps, SayWhereValuesLie) {
  const auto series = lowered(kTwoProducts);
  ASSERT_TRUE(series) << toString(series.error());
  const SeriesStep& buffers = *(series->steps.end() - 2);
  EXPECT_THAT(buffers.remarks[0].message, HasSubstr("parameters 256 KiB"));
  const Module& module = *buffers.moduleIfLoaded();
  size_t placed = 0;
  for (const Remark& remark : buffers.remarks) {
    if (remark.kind != "placed") continue;
    ++placed;
    ASSERT_NE(module.instruction(remark.instruction), nullptr);
    EXPECT_EQ(module.instruction(remark.instruction)->name(), remark.name);
    EXPECT_THAT(remark.message, ContainsRegex("temporary [0-9]+ \\[[0-9]+, [0-9]+\\)"));
  }
  EXPECT_EQ(placed, series->steps.back().remarks.size() - 1);  // one a thunk
  EXPECT_THAT(series->steps.back().remarks, Contains(Field(&Remark::kind, "dot")));
}

TEST(LoweringSteps, AModuleThatCannotBeCompiledEndsWithTheReason) {
  const auto series = lowered(R"(HloModule m
ENTRY e { p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="nobody_knows" })");
  ASSERT_TRUE(series) << toString(series.error());
  const SeriesStep& last = series->steps.back();
  EXPECT_EQ(last.name, "buffers");
  EXPECT_TRUE(last.skipped());
  ASSERT_FALSE(last.remarks.empty());
  EXPECT_THAT(last.remarks[0].message, HasSubstr("nobody_knows"));
}

TEST(LoweringSteps, AreListedApartFromThePasses) {
  for (const Pipeline& pipeline : listPipelines()) {
    EXPECT_EQ(pipeline.isLowered, engineOfPipeline(pipeline.name) != nullptr) << pipeline.name;
    for (const ConfiguredPass& configured : pipeline.passes) EXPECT_NE(configured.pass->name, "buffers");
  }
}

}  // namespace
}  // namespace hilo
