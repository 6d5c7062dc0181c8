#include "core/workspace/overlays/overlays.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parse(const std::string& text) {
  ParseResult result = parseModule(text);
  EXPECT_FALSE(hasErrors(result.diagnostics));
  return std::move(result.module);
}

std::string body(const std::string& lines) {
  return "HloModule m\n\nENTRY %main (x: f32[64]) -> f32[64] {\n  %x = f32[64] parameter(0)\n" + lines +
         "}\n";
}

PassSeries threeSteps() {
  PassSeries series;
  series.steps.push_back(makeStep("input", parse(body("  %a = f32[64] negate(%x)\n  %b = f32[64] abs(%a)\n"
                                                      "  ROOT %c = f32[64] tanh(%b)\n"))));
  // "first" makes b a sine, "second" adds d; a and x stay what they were.
  series.steps.push_back(makeStep("first", parse(body("  %a = f32[64] negate(%x)\n  %b = f32[64] sine(%a)\n"
                                                      "  ROOT %c = f32[64] tanh(%b)\n"))));
  series.steps.push_back(makeStep("second", parse(body("  %a = f32[64] negate(%x)\n  %b = f32[64] sine(%a)\n"
                                                       "  %d = f32[64] cosine(%b)\n"
                                                       "  ROOT %c = f32[64] tanh(%d)\n"))));
  return series;
}

std::string categoryOf(const Overlay& overlay, const Module& module, const char* name) {
  const uint16_t category = overlay.category[module.findInstruction(name)->id().value];
  return category == Overlay::kNoCategory ? "" : overlay.categories[category];
}

TEST(ChangedByPass, theLastPassThatChangedEach) {
  const PassSeries series = threeSteps();
  const auto overlay = changedByPass(series, 2, {});
  ASSERT_TRUE(overlay);
  const Module& module = *series.steps[2].moduleIfLoaded();
  EXPECT_EQ(categoryOf(*overlay, module, "x"), "");
  EXPECT_EQ(categoryOf(*overlay, module, "a"), "");
  EXPECT_EQ(categoryOf(*overlay, module, "b"), "first");
  EXPECT_EQ(categoryOf(*overlay, module, "d"), "second");
  EXPECT_EQ(categoryOf(*overlay, module, "c"), "second");  // another operand
  const auto earlier = changedByPass(series, 1, {});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->categories, std::vector<std::string>{"first"});
}

TEST(ChangedByPass, canBeStopped) {
  CancelToken stop;
  stop.cancel();
  EXPECT_EQ(changedByPass(threeSteps(), 2, JobContext(stop)).error().kind, "cancelled");
}

TEST(MeasuredTimes, whatRunsHasATimeAndALoopIsSummed) {
  const auto module = parse(R"(HloModule m

%cond (t: (s32[], f32[4096])) -> pred[] {
  %t = (s32[], f32[4096]) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(50)
  ROOT %less = pred[] compare(%i, %n), direction=LT
}

%body (u: (s32[], f32[4096])) -> (s32[], f32[4096]) {
  %u = (s32[], f32[4096]) parameter(0)
  %k = s32[] get-tuple-element(%u), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%k, %one)
  %v = f32[4096] get-tuple-element(%u), index=1
  %inside = f32[4096] tanh(%v)
  ROOT %r = (s32[], f32[4096]) tuple(%next, %inside)
}

ENTRY %main (x: f32[4096]) -> f32[4096] {
  %x = f32[4096] parameter(0)
  %once = f32[4096] tanh(%x)
  %zero = s32[] constant(0)
  %start = (s32[], f32[4096]) tuple(%zero, %once)
  %loop = (s32[], f32[4096]) while(%start), condition=%cond, body=%body
  ROOT %out = f32[4096] get-tuple-element(%loop), index=1
}
)");
  const auto overlay = measuredTimes(module, {}, {});
  ASSERT_TRUE(overlay) << overlay.error().message;
  const auto ns = [&](const char* name) {
    return overlay->amounts[module->findInstruction(name)->id().value];
  };
  EXPECT_TRUE(overlay->isNanoseconds);
  EXPECT_GT(ns("once"), 0);
  // The same work fifty times over, however busy the machine.
  EXPECT_GT(ns("inside"), 5 * ns("once"));
  EXPECT_GE(ns("loop"), ns("inside"));
  EXPECT_LT(ns("x"), 0);
}

RunRecord runOf(const std::string& moduleName, std::vector<ThunkTime> times) {
  return {.id = RunId{3}, .moduleName = moduleName, .thunkTimes = std::move(times)};
}

TEST(TimesOfRun, areOfTheSameInstructionsOrOfThoseOfTheirNames) {
  const auto module = parse(body("  %a = f32[64] negate(%x)\n  ROOT %b = f32[64] tanh(%a)\n"));
  const uint32_t a = module->findInstruction("a")->id().value;
  // The second stands where another instruction has its id; the third is of what passes made.
  const auto overlay = timesOfRun(runOf("m", {{.name = "a", .instruction = a, .totalNs = 10},
                                              {.name = "b", .instruction = a, .totalNs = 20},
                                              {.name = "b", .instruction = a, .totalNs = 5},
                                              {.name = "fusion", .instruction = 900, .totalNs = 40}}),
                                  *module);
  ASSERT_TRUE(overlay) << overlay.error().message;
  EXPECT_EQ(overlay->title, "time in run 3");
  EXPECT_TRUE(overlay->isNanoseconds);
  EXPECT_EQ(overlay->amounts[a], 10);
  EXPECT_EQ(overlay->amounts[module->findInstruction("b")->id().value], 25);
  EXPECT_EQ(overlay->amounts[module->findInstruction("x")->id().value], -1);
}

TEST(TimesOfRun, areNoneWithoutThunksOrOfAnotherModule) {
  const auto module = parse(body("  ROOT %b = f32[64] tanh(%x)\n"));
  EXPECT_EQ(timesOfRun(runOf("m", {}), *module).error().kind, "no-thunk-times");
  EXPECT_EQ(timesOfRun(runOf("n", {{.name = "b", .totalNs = 1}}), *module).error().kind, "other-module");
  EXPECT_EQ(timesOfRun(runOf("m", {{.name = "c", .instruction = 900, .totalNs = 1}}), *module).error().kind,
            "other-module");
}

}  // namespace
}  // namespace hilo
