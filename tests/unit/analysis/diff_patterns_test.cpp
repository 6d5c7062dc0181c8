#include "core/analysis/diff/diff_patterns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Three layers of dot and add; with `cast` a convert before each dot and another shape of the sum.
std::unique_ptr<Module> layers(bool cast) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[8,8] parameter(0)\n  w = f32[8,8] parameter(1)\n";
  for (int n = 0; n < 3; ++n) {
    std::string in = fmt::format("x{}", n);
    if (cast) {
      text += fmt::format("  abs.{0} = f32[8,8] abs(x{0})\n  sign.{0} = f32[8,8] sign(abs.{0})\n", n);
      in = fmt::format("sign.{}", n);
    }
    text += fmt::format(
        "  dot.{0} = f32[8,8] dot({1}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  {2}x{3} = f32[8,8] add(dot.{0}, x{0})\n",
        n, in, n == 2 ? "ROOT " : "", n + 1);
  }
  auto module = parseModuleStrictly(text + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

TEST(DiffPatterns, EqualChangesAreOneGroup) {
  const auto before = layers(false), after = layers(true);
  const StepDiff diff = diffModules(*before, *after);
  const std::vector<ChangeGroup> groups = groupChanges(*before, *after, diff);
  ASSERT_EQ(groups.size(), 3u);
  for (const ChangeGroup& group : groups) EXPECT_EQ(group.members.size(), 3u);
  EXPECT_EQ(groups[2].kind, ChangeKind::Changed);
  EXPECT_EQ(groups[2].opcode, "dot");
  EXPECT_EQ(groups[2].what, "operands");
  EXPECT_EQ(groups[0].detail, "f32[8,8]");
}

TEST(DiffPatterns, WhatOccursInEveryLayerIsSaidOnce) {
  const auto before = layers(false), after = layers(true);
  const StepDiff diff = diffModules(*before, *after);
  const std::vector<DiffPattern> patterns = findDiffPatterns(*before, *after, diff);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].occurrences.size(), 3u);
  EXPECT_EQ(patterns[0].lines, (std::vector<std::string>{"added abs f32[8,8]", "added sign f32[8,8]",
                                                         "changed dot f32[8,8]: operands"}));
  // Each change is in one occurrence.
  std::vector<size_t> all;
  for (const auto& occurrence : patterns[0].occurrences)
    all.insert(all.end(), occurrence.begin(), occurrence.end());
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), diff.changes.size());
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

// As hlo_diff's summary has it: two fusions that changed alike are one pattern, the entry is another thing.
TEST(DiffPatterns, TwoFusionsThatChangedAlike) {
  const auto make = [](const char* opcode) {
    auto module = parseModuleStrictly(fmt::format(R"(HloModule m
f {{ x = s32[8] parameter(0) y = s32[8] parameter(1) {0}.1 = s32[8] {0}(x, y) ROOT n.1 = s32[8] {0}({0}.1, y) }}
g {{ u = s32[8] parameter(0) v = s32[8] parameter(1) {0}.2 = s32[8] {0}(u, v) ROOT n.2 = s32[8] {0}({0}.2, v) }}
ENTRY e {{ a = s32[8] parameter(0) b = s32[8] parameter(1)
  k = s32[8] fusion(a, b), kind=kLoop, calls=f
  ROOT m = s32[8] fusion(k, b), kind=kLoop, calls=g }})",
                                                  opcode));
    EXPECT_TRUE(module) << toString(module.error());
    return std::move(*module);
  };
  const auto before = make("add"), after = make("multiply");
  const StepDiff diff = diffModules(*before, *after);
  EXPECT_EQ(diff.changed, 4u);
  const std::vector<DiffPattern> patterns = findDiffPatterns(*before, *after, diff);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].changes, 2u);
  EXPECT_EQ(patterns[0].occurrences.size(), 2u);
}

TEST(DiffPatterns, NoDifferenceNoPattern) {
  const auto before = layers(false);
  const StepDiff diff = diffModules(*before, *before);
  EXPECT_TRUE(groupChanges(*before, *before, diff).empty());
  EXPECT_TRUE(findDiffPatterns(*before, *before, diff).empty());
}

}  // namespace
}  // namespace hilo
