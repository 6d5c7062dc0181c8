#include "core/analysis/diff/unified_lines.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

std::string unified(std::string_view left, std::string_view right, size_t context) {
  const auto a = splitLines(left), b = splitLines(right);
  return unifiedText(diffLines(a, b).rows, a, b, context, "a.hlo", "b.hlo");
}

// As diff -u writes them.
TEST(UnifiedText, WritesHunksWithTheirContext) {
  EXPECT_EQ(unified("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nfour\n5\n6\n7\n", 1),
            "--- a.hlo\n+++ b.hlo\n@@ -3,3 +3,3 @@\n 3\n-4\n+four\n 5\n");
  EXPECT_EQ(unified("1\n2\n", "1\nnew\n2\n", 0), "--- a.hlo\n+++ b.hlo\n@@ -1,0 +2 @@\n+new\n");
  EXPECT_EQ(unified("1\n2\n", "2\n", 0), "--- a.hlo\n+++ b.hlo\n@@ -1 +0,0 @@\n-1\n");
}

TEST(UnifiedText, ChangesThatShareContextAreOneHunk) {
  const std::string text = unified("a\n1\n2\nb\n3\n4\n5\n6\nc\n", "A\n1\n2\nB\n3\n4\n5\n6\nC\n", 1);
  EXPECT_EQ(text,
            "--- a.hlo\n+++ b.hlo\n@@ -1,5 +1,5 @@\n-a\n+A\n 1\n 2\n-b\n+B\n 3\n"
            "@@ -8,2 +8,2 @@\n 6\n-c\n+C\n");
}

TEST(UnifiedText, EqualTextsGiveNothing) { EXPECT_EQ(unified("1\n2\n", "1\n2\n", 3), ""); }

TEST(UnifiedLines, WhatWentStandsAboveWhatCame) {
  const std::vector<DiffRow> rows = {
      {DiffKind::Same, 0, 0}, {DiffKind::Changed, 1, 1}, {DiffKind::Changed, 2, 2}};
  std::vector<std::pair<bool, uint32_t>> order;
  for (const UnifiedLine& line : unifiedLines(rows)) order.emplace_back(line.inRight, line.line);
  EXPECT_EQ(order, (std::vector<std::pair<bool, uint32_t>>{
                       {true, 0}, {false, 1}, {false, 2}, {true, 1}, {true, 2}}));
}

}  // namespace
}  // namespace hilo
