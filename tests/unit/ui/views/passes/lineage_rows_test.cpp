#include "ui/views/passes/lineage_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::UnorderedElementsAre;

std::shared_ptr<const Module> parsed(std::string_view text) {
  return parseModuleStrictly(std::string(text)).value();
}

SideBySide sides() {
  const auto before = parsed(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  t = f32[4] tanh(n)
  ROOT s = f32[4] sign(t)
}
)");
  const auto after = parsed(R"(HloModule m
fused {
  p = f32[4] parameter(0)
  n.1 = f32[4] negate(p)
  ROOT t.1 = f32[4] tanh(n.1)
}
ENTRY e {
  a = f32[4] parameter(0)
  f = f32[4] fusion(a), kind=kLoop, calls=fused
  ROOT s = f32[4] sign(f)
}
)");
  return sideBySide(comparisonSeries(makeStep("before", before), makeStep("after", after)), 0, 1).value();
}

// The names that rows about each inner instruction lead to.
std::vector<std::string> originsIn(const SideBySide& both, const Module& other, std::string_view fusion) {
  std::vector<std::string> found;
  const Instruction* i = both.right.module->findInstruction(fusion);
  for (const LineageRow& row : lineageRows(both, i->id(), true))
    found.push_back(row.inner + "<-" + std::string(other.instruction(row.other)->name()));
  return found;
}

TEST(LineageRows, AFusionOpensToWhatItIsMadeOf) {
  const SideBySide both = sides();
  std::vector<std::string> found = originsIn(both, *both.left.module, "f");
  std::erase_if(found, [](const std::string& row) { return row.starts_with("<-"); });
  EXPECT_THAT(found, UnorderedElementsAre("n.1<-n", "t.1<-t"));
}

TEST(LineageRows, WhatBecameOfAnInstruction) {
  const SideBySide both = sides();
  const auto rows = lineageRows(both, both.left.module->findInstruction("n")->id(), false);
  const InstructionId inside = both.right.module->findInstruction("n.1")->id();
  const auto found = std::ranges::find(rows, inside, &LineageRow::other);
  ASSERT_NE(found, rows.end());
  EXPECT_EQ(found->inner, "");
  EXPECT_THAT(found->text, testing::HasSubstr("negate"));
}

TEST(LineageRows, NothingOfAnInstructionThatIsNotThere) {
  EXPECT_TRUE(lineageRows(sides(), InstructionId(), true).empty());
}

}  // namespace
}  // namespace hilo
