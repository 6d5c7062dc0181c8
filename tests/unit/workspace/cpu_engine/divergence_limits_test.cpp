// What bounds a search for the first divergence: its time, its memory, and which devices it looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/print.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/value_windows.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(DivergenceLimits, ATimeLimitIsThatOfTheWholeSearchAndSaysHowFarItCame) {
  // Far more turns than there is time for.
  const auto module = moduleOf(countingLoop("f32[]", 2'000'000'000, "w = f32[] sine(v)") + R"(
ENTRY e { zero = s32[] constant(0)
  one = f32[] constant(1)
  t = (s32[], f32[]) tuple(zero, one)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body })");
  const auto found = findFirstDivergence(
      {.truth = {.module = module, .worker = WorkerOptions{.timeLimitNs = 50'000'000}}, .engine = "cpu"},
      JobContext());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, "time-limit");
  EXPECT_THAT(found.error().notes, ElementsAre("it had come to: values of e by reference"));
}

// Neither engine may begin with what would take minutes: the arguments alone are more than there
// is memory for.
TEST(DivergenceLimits, WhatOneOfThemCannotRunIsRefusedBeforeAnythingIsMade) {
  const auto module = moduleOf(R"(ENTRY e { a = f32[1000000000000] parameter(0)
  ROOT c = f32[4] custom-call(a), custom_call_target="nobody knows" })");
  for (const auto& [truth, engine] : {std::pair("reference", "cpu"), std::pair("cpu", "reference")}) {
    const auto found =
        findFirstDivergence({.truth = {.module = module, .engine = truth}, .engine = engine}, JobContext());
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().kind, "not-runnable");
    EXPECT_THAT(found.error().notes, ElementsAre(testing::HasSubstr("nobody knows")));
  }
}

TEST(DivergenceLimits, WhoeverCancelsIsToldSo) {
  CancelToken token;
  token.cancel();
  const auto module = moduleOf("ENTRY e { a = f32[4] parameter(0)\n  ROOT b = f32[4] add(a, a) }");
  const auto found = findFirstDivergence({.truth = {.module = module}, .engine = "cpu"}, JobContext(token));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, "cancelled");
}

// The bytes of what each run gave by the engine that remembers them.
std::vector<int64_t>& resultBytes() {
  static std::vector<int64_t> bytes;
  return bytes;
}

// The evaluator, which remembers how much its runs gave; "wrong" takes sines for cosines.
void addEngineThatRemembers(const std::string& name, bool isWrong) {
  if (engineTable().find(name) != nullptr) return;
  const Engine* reference = engineTable().find("reference");
  Engine made = *reference;
  made.name = name;
  made.compile = [reference, isWrong](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                      const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
    resultBytes().push_back(valueBytes(module->entry()->root()->shape()));
    if (!isWrong) return reference->compile(std::move(module), settings, cancel);
    std::string text = printModule(*module, PrintOptions());
    for (size_t at = 0; (at = text.find(" cosine(", at)) != std::string::npos;) text.replace(at, 8, " sine(");
    TRY(auto changed, parseModuleStrictly(text));
    return reference->compile(std::move(changed), settings, cancel);
  };
  ASSERT_TRUE(engineTable().add(std::move(made)).has_value());
}

// Twenty steps of 1 MiB, the ninth a loop with a cosine in its second turn's branch, one long-lived value.
std::shared_ptr<const Module> longModule() {
  std::string text = countingLoop("f32[262144]", 3, R"(one2 = s32[] constant(1)
  isSecond = pred[] compare(i, one2), direction=EQ
  w = f32[262144] conditional(isSecond, v, v), true_computation=turned, false_computation=kept)");
  text = R"(turned { x = f32[262144] parameter(0)
  n = f32[262144] negate(x)
  ROOT c = f32[262144] cosine(n) }
kept { x = f32[262144] parameter(0)
  ROOT n = f32[262144] negate(x) }
)" + text +
         "ENTRY e { a = f32[262144] parameter(0)\n  zero = s32[] constant(0)\n  s0 = f32[262144] negate(a)\n";
  for (int i = 1; i < 20; ++i) {
    text += i == 9 ? "  t = (s32[], f32[262144]) tuple(zero, s8)\n  l = (s32[], f32[262144]) while(t), "
                     "condition=condition, body=body\n  s9 = f32[262144] get-tuple-element(l), index=1\n"
                   : fmt::format("  s{} = f32[262144] add(s{}, s0)\n", i, i - 1);
  }
  return moduleOf(text + "  ROOT r = f32[262144] negate(s19) }");
}

Result<Divergence> searchLongModule(int64_t limitMiB, const std::string& engine = "remembers") {
  addEngineThatRemembers("remembers", false);
  addEngineThatRemembers("remembers-wrong", true);
  resultBytes().clear();
  return findFirstDivergence({.truth = {.module = longModule(),
                                        .engine = "remembers",
                                        .worker = WorkerOptions{.memoryLimitBytes = limitMiB << 20}},
                              .engine = engine},
                             JobContext());
}

TEST(DivergenceLimits, AMemoryLimitIsThatOfTheValuesHeldTogether) {
  const auto whole = searchLongModule(2000), small = searchLongModule(32);
  ASSERT_TRUE(whole.has_value() && small.has_value());
  EXPECT_FALSE(whole->found || small->found);
  EXPECT_EQ(small->steps.size(), 21u);
  EXPECT_THAT(small->notes, IsEmpty());
  // No run gave more than a few of the steps.
  EXPECT_LE(*std::ranges::max_element(resultBytes()), 7 << 20);
  EXPECT_TRUE(searchLongModule(2000).has_value());
  EXPECT_GE(*std::ranges::max_element(resultBytes()), 20 << 20);
}

TEST(DivergenceLimits, WhatIsFoundDoesNotDependOnTheMemory) {
  for (const int64_t limitMiB : {32, 2000}) {
    const auto found = searchLongModule(limitMiB, "remembers-wrong");
    ASSERT_TRUE(found.has_value()) << toString(found.error());
    ASSERT_TRUE(found->found) << limitMiB;
    EXPECT_THAT(found->path, ElementsAre("l (turn 1)", "w (branch 0)", "c"));
    EXPECT_EQ(found->steps.size(), 21u);
  }
}

TEST(DivergenceLimits, WhatDoesNotEvenFitInPartsSaysWhereAndHowMuch) {
  const auto found = searchLongModule(6);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, "memory-limit");
  EXPECT_EQ(found.error().place.instruction, "s0");
  EXPECT_THAT(found.error().notes.back(), StartsWith("it had come to: "));
}

Divergence onTwoDevices(const std::string& instructions) {
  const auto module = parseModuleStrictly(
      "HloModule m, num_partitions=2\nENTRY e { a = f32[4] parameter(0)\n" + instructions + "}");
  EXPECT_TRUE(module.has_value());
  const auto found = findFirstDivergence(
      {.truth = {.module = std::shared_ptr<const Module>(module->get()->clone())}, .engine = "cpu"},
      JobContext());
  EXPECT_TRUE(found.has_value()) << toString(found.error());
  return found.value_or(Divergence());
}

TEST(DivergenceLimits, DevicesThatDoTheSameAreLookedAtOnce) {
  const Divergence same = onTwoDevices("ROOT b = f32[4] add(a, a)");
  EXPECT_FALSE(same.found);
  EXPECT_EQ(same.steps.size(), 1u);
  EXPECT_THAT(same.notes, ElementsAre(StartsWith("all devices do the same")));
  const Divergence apart = onTwoDevices(R"(p = u32[] partition-id()
  f = f32[] convert(p)
  o = f32[4] broadcast(f), dimensions={}
  ROOT b = f32[4] add(a, o))");
  EXPECT_FALSE(apart.found);
  EXPECT_THAT(apart.notes, IsEmpty());
}

}  // namespace
}  // namespace hilo
