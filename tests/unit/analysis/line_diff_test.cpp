#include "core/analysis/diff/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hilo {
namespace {

constexpr uint32_t kNone = DiffRow::kNoLine;

LineDiff diffOf(std::string_view left, std::string_view right) {
  return diffLines(splitLines(left), splitLines(right));
}

size_t sameRows(const LineDiff& diff) {
  return std::ranges::count(diff.rows, DiffKind::Same, &DiffRow::kind);
}

// The length of the longest common subsequence by the textbook table.
size_t longestCommon(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      table[i][j] =
          a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

// Every line once, in order, and equal lines where a row says Same.
void expectWhole(const LineDiff& diff, const std::vector<std::string_view>& left,
                 const std::vector<std::string_view>& right) {
  uint32_t l = 0, r = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.left != kNone) ASSERT_EQ(row.left, l++);
    if (row.right != kNone) ASSERT_EQ(row.right, r++);
    if (row.kind == DiffKind::Same) ASSERT_EQ(left[row.left], right[row.right]);
  }
  ASSERT_EQ(l, left.size());
  ASSERT_EQ(r, right.size());
}

TEST(SplitLines, LastLineNeedsNoNewline) {
  EXPECT_THAT(splitLines("a\n\nb"), testing::ElementsAre("a", "", "b"));
  EXPECT_THAT(splitLines("a\n"), testing::ElementsAre("a"));
  EXPECT_TRUE(splitLines("").empty());
}

TEST(LineDiff, AlignsAroundAnInsertedAndAChangedLine) {
  const LineDiff diff = diffOf("a\nb\nc\nd\n", "a\nnew\nb\nC\nd\n");
  EXPECT_THAT(diff.rows,
              testing::ElementsAre(DiffRow{DiffKind::Same, 0, 0}, DiffRow{DiffKind::Added, kNone, 1},
                                   DiffRow{DiffKind::Same, 1, 2}, DiffRow{DiffKind::Changed, 2, 3},
                                   DiffRow{DiffKind::Same, 3, 4}));
  EXPECT_EQ(diff.added, 1u);
  EXPECT_EQ(diff.changed, 1u);
  EXPECT_EQ(diff.removed, 0u);
}

TEST(LineDiff, EmptySides) {
  EXPECT_TRUE(diffOf("", "").rows.empty());
  EXPECT_EQ(diffOf("a\nb\n", "").removed, 2u);
  EXPECT_EQ(diffOf("", "a\nb\n").added, 2u);
}

TEST(LineDiff, RepeatedLinesFindALongestCommonSubsequence) {
  // Every line occurs at least twice, so no anchor helps: the matcher alone has to find the best.
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    static constexpr std::string_view kLetters[] = {"x", "y", "z"};
    std::vector<std::string_view> left{"x", "x", "y", "y", "z", "z"}, right = left;
    for (uint32_t n = random() % 12; n > 0; --n) left.push_back(kLetters[random() % 3]);
    for (uint32_t n = random() % 12; n > 0; --n) right.push_back(kLetters[random() % 3]);
    std::ranges::shuffle(left, random);
    std::ranges::shuffle(right, random);
    const LineDiff diff = diffLines(left, right);
    expectWhole(diff, left, right);
    ASSERT_EQ(sameRows(diff), longestCommon(left, right)) << "round " << round;
  }
}

TEST(LineDiff, TextsWithNothingInCommonStayBounded) {
  std::vector<std::string> storage;
  for (int i = 0; i < 40'000; ++i)
    storage.push_back(i % 2 == 0 ? "left " + std::to_string(i % 97) : "right " + std::to_string(i % 89));
  std::vector<std::string_view> left, right;
  for (int i = 0; i < 40'000; ++i) (i % 2 == 0 ? left : right).push_back(storage[i]);
  const LineDiff diff = diffLines(left, right);
  expectWhole(diff, left, right);
  EXPECT_EQ(diff.changed, 20'000u);
}

TEST(LineDiff, LongTextsWithScatteredEditsKeepWhatIsEqual) {
  std::mt19937 random(11);
  std::vector<std::string> storage;
  for (int i = 0; i < 20'000; ++i) storage.push_back("line " + std::to_string(random() % 5000));
  std::vector<std::string_view> left(storage.begin(), storage.end()), right;
  size_t kept = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (i % 50 == 0) {
      right.push_back("edited");
      continue;
    }
    right.push_back(left[i]);
    ++kept;
  }
  const LineDiff diff = diffLines(left, right);
  expectWhole(diff, left, right);
  EXPECT_GE(sameRows(diff), kept);
}

}  // namespace
}  // namespace hilo
