// How a computation is cut so that the values of each piece fit into memory together.
#include "core/workspace/values/value_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr int64_t kMiB = 1 << 20;

std::vector<std::string> namesOf(const std::vector<const Instruction*>& instructions) {
  std::vector<std::string> names;
  for (const Instruction* instruction : instructions) names.emplace_back(instruction->name());
  return names;
}

// Each step 1 MiB.
const char* const kChain = R"(ENTRY e { a = f32[262144] parameter(0)
  s1 = f32[262144] add(a, a)
  s2 = f32[262144] negate(s1)
  s3 = f32[262144] add(s2, a)
  t = (f32[262144], f32[262144]) tuple(s1, s3)
  g = f32[262144] get-tuple-element(t), index=1
  s4 = f32[262144] negate(g)
  ROOT s5 = f32[262144] add(s4, s3) })";

TEST(ValueWindows, AreOneWhereThereIsRoom) {
  const auto module = moduleOf(kChain);
  const auto windows = cutIntoWindows(*module->entry(), 1, 1, 100 * kMiB);
  ASSERT_TRUE(windows.has_value());
  ASSERT_EQ(windows->size(), 1u);
  EXPECT_THAT(namesOf((*windows)[0].steps), ElementsAre("s1", "s2", "s3", "s4", "s5"));
  EXPECT_THAT(namesOf((*windows)[0].taken), ElementsAre("a"));
  EXPECT_EQ((*windows)[0].heldBytes, 5 * kMiB);
}

TEST(ValueWindows, HoldWhatLaterOnesTakeAndNothingElse) {
  const auto module = moduleOf(kChain);
  // Four steps thrice, and the largest with what it reads four times: 12 + 8 MiB. Of s5 that is 12, beside 3
  // of its own, 4 it takes and 2 that are held.
  const auto windows = cutIntoWindows(*module->entry(), 1, 1, 21 * kMiB);
  ASSERT_TRUE(windows.has_value()) << toString(windows.error());
  ASSERT_EQ(windows->size(), 2u);
  const ValueWindow &first = windows->front(), &last = windows->back();
  EXPECT_THAT(namesOf(first.steps), ElementsAre("s1", "s2", "s3", "s4"));
  // The tuple has s1 too, of which nothing is read.
  EXPECT_THAT(namesOf(first.freed), UnorderedElementsAre("s1", "s2"));
  EXPECT_EQ(first.heldBytes, 4 * kMiB);
  EXPECT_THAT(namesOf(last.steps), ElementsAre("s5"));
  EXPECT_THAT(namesOf(last.taken), UnorderedElementsAre("s4", "s3"));
  EXPECT_THAT(namesOf(last.freed), UnorderedElementsAre("s3", "s4", "s5"));
  EXPECT_EQ(last.heldBytes, 3 * kMiB);
}

TEST(ValueWindows, AnInstructionThatDoesNotFitIsNamed) {
  const auto module = moduleOf(kChain);
  const auto windows = cutIntoWindows(*module->entry(), 1, 1, 5 * kMiB);
  ASSERT_FALSE(windows.has_value());
  EXPECT_EQ(windows.error().kind, "memory-limit");
  EXPECT_EQ(windows.error().place.instruction, "s1");
  EXPECT_THAT(windows.error().message, HasSubstr("there is 5.00 MiB"));
  // On four devices there is four times as much.
  EXPECT_FALSE(cutIntoWindows(*module->entry(), 4, 1, 20 * kMiB).has_value());
}

TEST(ValueWindows, WhatBelongsTogetherIsNotParted) {
  const auto module = moduleOf(R"(ENTRY e { a = f32[262144] parameter(0)
  k = token[] after-all()
  in = (f32[262144], token[]) infeed(k)
  x = f32[262144] get-tuple-element(in), index=0
  s1 = f32[262144] add(a, x)
  s2 = f32[262144] negate(s1)
  s3 = f32[262144] negate(s2)
  out = token[] outfeed(s3, k)
  s4 = f32[262144] negate(s3)
  ROOT s5 = f32[262144] negate(s4) })");
  const auto windows = cutIntoWindows(*module->entry(), 1, 1, 20 * kMiB);
  ASSERT_TRUE(windows.has_value()) << toString(windows.error());
  ASSERT_GT(windows->size(), 1u);
  EXPECT_THAT(namesOf((*windows)[0].tied), ElementsAre("in", "out"));
  EXPECT_THAT(namesOf((*windows)[0].steps), ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT((*windows)[1].tied, IsEmpty());
  // Two of the steps would fit, and a chain without infeed and outfeed does.
  EXPECT_FALSE(cutIntoWindows(*module->entry(), 1, 1, 19 * kMiB).has_value());
}

TEST(ValueWindows, AnArrayWithASizeOfItsOwnStaysWithItsReaders) {
  const auto module = moduleOf(R"(ENTRY e { a = f32[262144] parameter(0)
  n = s32[] parameter(1)
  d = f32[<=262144] set-dimension-size(a, n), dimensions={0}
  s1 = f32[262144] negate(a)
  s2 = f32[262144] negate(s1)
  ROOT s3 = f32[<=262144] negate(d) })");
  const auto windows = cutIntoWindows(*module->entry(), 1, 1, 29 * kMiB);
  ASSERT_TRUE(windows.has_value()) << toString(windows.error());
  EXPECT_EQ(windows->size(), 1u);
  EXPECT_FALSE(cutIntoWindows(*module->entry(), 1, 1, 15 * kMiB).has_value());
}

}  // namespace
}  // namespace hilo
