#include "core/analysis/diff/alike_changes.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parsed(const std::string& body) {
  auto module = parseModuleStrictly("HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n" + body + "}\n");
  EXPECT_TRUE(module) << toString(module.error());
  return *std::move(module);
}

// Two negates become sines and one abs a cosine: two rows.
TEST(AlikeChanges, ChangesOfOneKindAreOneRowWithTheirNumber) {
  const auto before = parsed(
      "  n = f32[4] negate(a)\n  m = f32[4] negate(n)\n  b = f32[4] abs(m)\n  ROOT r = f32[4] add(b, n)\n");
  const auto after = parsed(
      "  n = f32[4] sine(a)\n  m = f32[4] sine(n)\n  b = f32[4] cosine(m)\n  ROOT r = f32[4] add(b, n)\n");
  const StepDiff diff = diffModules(*before, *after, {});
  size_t members = 0;
  for (const AlikeChanges& row : alikeChanges(*before, *after, diff)) {
    if (row.isPattern) continue;
    EXPECT_EQ(row.count, row.members.size()) << row.what;
    for (const size_t member : row.members) EXPECT_LT(member, diff.changes.size());
    members += row.count;
  }
  EXPECT_EQ(members, diff.changes.size());
}

TEST(AlikeChanges, AnotherOrderIsARowOfItsOwnBehindTheChanges) {
  const auto before = parsed("  s = f32[4] sine(a)\n  c = f32[4] cosine(a)\n  ROOT r = f32[4] add(s, c)\n");
  const auto same = diffModules(*before, *before, {});
  EXPECT_TRUE(alikeChanges(*before, *before, same).empty());
  StepDiff moved = same;
  moved.reordered.push_back({});
  const auto rows = alikeChanges(*before, *before, moved);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, ChangeKind::Reordered);
  EXPECT_EQ(rows[0].members, (std::vector<size_t>{0}));
}

}  // namespace
}  // namespace hilo
