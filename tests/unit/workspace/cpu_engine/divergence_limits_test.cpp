// What bounds a search for the first divergence: its time, and which devices it looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/workspace/values/first_divergence.h"
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

// Neither engine may begin with what would take minutes: the arguments alone are more than there is memory
// for.
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
  const auto found = findFirstDivergence({.truth = {.module = module}}, JobContext(token));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, "cancelled");
}

Divergence onTwoDevices(const std::string& instructions) {
  const auto module = parseModuleStrictly(
      "HloModule m, num_partitions=2\nENTRY e { a = f32[4] parameter(0)\n" + instructions + "}");
  EXPECT_TRUE(module.has_value());
  const auto found = findFirstDivergence(
      {.truth = {.module = std::shared_ptr<const Module>(module->get()->clone())}}, JobContext());
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
