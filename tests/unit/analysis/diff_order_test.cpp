// What a schedule moved.
#include <gtest/gtest.h>

#include "core/analysis/diff/module_diff.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> chain(const std::string& order, bool scheduled) {
  std::string text = std::string("HloModule m") + (scheduled ? ", is_scheduled=true" : "") +
                     "\nENTRY e {\n  p = f32[4] parameter(0)\n";
  for (const char c : order) {
    const char* opcode = c == 'a' ? "negate" : c == 'b' ? "exponential" : c == 'c' ? "tanh" : "cosine";
    text += std::string("  ") + c + " = f32[4] " + opcode + "(p)\n";
  }
  text += "  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(a, b, c, d)\n}\n";
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  return *std::move(module);
}

TEST(DiffOrder, TheFewestThatMovedAreNamedWithWhereTheyStand) {
  const StepDiff diff = diffModules(*chain("abcd", false), *chain("bcda", true));
  EXPECT_TRUE(diff.empty());
  EXPECT_TRUE(diff.becameScheduled);
  ASSERT_EQ(diff.reordered.size(), 1u);
  EXPECT_EQ(diff.reordered[0].kind, ChangeKind::Reordered);
  EXPECT_EQ(diff.reordered[0].name, "a");
  EXPECT_EQ(diff.reordered[0].what, "after d, was after p");
}

TEST(DiffOrder, ASecondScheduleIsComparedWithTheFirst) {
  const StepDiff diff = diffModules(*chain("abcd", true), *chain("dcab", true));
  EXPECT_FALSE(diff.becameScheduled);
  EXPECT_EQ(diff.reordered.size(), 2u);  // c and d; a and b stay in order
}

TEST(DiffOrder, WithoutAScheduleTheOrderSaysNothing) {
  const StepDiff diff = diffModules(*chain("abcd", false), *chain("dcba", false));
  EXPECT_TRUE(diff.reordered.empty());
  EXPECT_FALSE(diff.becameScheduled);
}

TEST(DiffOrder, TheSameOrderIsNoMove) {
  const StepDiff diff = diffModules(*chain("abcd", false), *chain("abcd", true));
  EXPECT_TRUE(diff.reordered.empty());
  EXPECT_TRUE(diff.becameScheduled);
}

}  // namespace
}  // namespace hilo
