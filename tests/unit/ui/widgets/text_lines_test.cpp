#include "ui/widgets/text_lines.h"

#include <gtest/gtest.h>

#include "ui/widgets/display_line.h"
#include "ui/widgets/text_find.h"
#include "ui/widgets/text_rows.h"

namespace hilo {
namespace {

TextLines lines(std::string text) { return TextLines(std::make_shared<const std::string>(std::move(text))); }

TEST(TextLines, splitsAtLineEnds) {
  struct Case {
    const char* text;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      {"", {""}},        {"a", {"a"}}, {"a\n", {"a"}}, {"a\nb", {"a", "b"}}, {"a\r\n\nb\n", {"a", "", "b"}},
      {"\n\n", {"", ""}}};
  for (const Case& c : cases) {
    const TextLines made = lines(c.text);
    std::vector<std::string> got;
    for (uint32_t i = 0; i < made.count(); ++i) got.emplace_back(made.line(i));
    EXPECT_EQ(got, c.lines) << c.text;
  }
}

TEST(TextLines, findsTheLineOfAnOffset) {
  const TextLines made = lines("ab\nc\n\nd");
  const uint32_t expected[] = {0, 0, 0, 1, 1, 2, 3};
  for (size_t offset = 0; offset < 7; ++offset)
    EXPECT_EQ(made.lineOfOffset(offset), expected[offset]) << offset;
}

TEST(TextRows, foldedRegionsHideTheirLines) {
  // 0 A {  1..2  3 }  4  5 B {  6 C {  7  8 }  9 }  10
  const TextLines text = lines("A {\na\nb\n}\n\nB {\nC {\nc\n}\n}\nend");
  const std::vector<FoldRegion> regions = findFoldRegions(text);
  EXPECT_EQ(regions, (std::vector<FoldRegion>{{0, 3}, {5, 9}, {6, 8}}));
  TextRows rows(text.count(), regions);
  EXPECT_EQ(rows.count(), 11u);
  rows.setFolded(0, true);
  rows.setFolded(6, true);
  std::vector<uint32_t> shown;
  for (uint32_t row = 0; row < rows.count(); ++row) shown.push_back(rows.row(row).line);
  EXPECT_EQ(shown, (std::vector<uint32_t>{0, 4, 5, 6, 9, 10}));
  const uint32_t rowOf[] = {0, 0, 0, 0, 1, 2, 3, 3, 3, 4, 5};
  for (uint32_t line = 0; line < 11; ++line) EXPECT_EQ(rows.rowOfLine(line), rowOf[line]) << line;
  rows.setFolded(5, true);
  EXPECT_EQ(rows.count(), 4u);
  EXPECT_TRUE(rows.reveal(7));
  EXPECT_FALSE(rows.isFolded(5));
  EXPECT_FALSE(rows.isFolded(6));
  EXPECT_TRUE(rows.isFolded(0));
  EXPECT_FALSE(rows.reveal(7));
}

TEST(TextRows, tablesFoldUpToTheNextEmptyLine) {
  const TextLines text =
      lines("HloModule m\n\nFileNames\n1 \"a {\"\n2 \"b\"\n\nStackFrames\n\nENTRY e {\n x\n}");
  const std::vector<FoldRegion> regions = findFoldRegions(text);
  EXPECT_EQ(regions, (std::vector<FoldRegion>{{2, 4}, {8, 10}}));
  TextRows rows(text.count(), regions);
  rows.setFoldedWhere([&](const FoldRegion& region) { return isTableHead(text.line(region.first)); });
  EXPECT_TRUE(rows.isFolded(2));
  EXPECT_FALSE(rows.isFolded(8));
  EXPECT_EQ(rows.count(), text.count() - 2);
}

TEST(TextRows, unbalancedBracesFoldWhatTheyCan) {
  EXPECT_TRUE(findFoldRegions(lines("}\n}\na {\nb {")).empty());
  EXPECT_TRUE(findFoldRegions(lines("a {\n}")).empty());  // nothing inside
}

TEST(DisplayLine, foldedTailsKeepTheWayBack) {
  const QString source = QStringLiteral("neg(%b), metadata={op_name=\"x\"}, a=1");
  const DisplayLine line = makeDisplayLine(source, true, lexHloLine);
  EXPECT_EQ(line.text, QStringLiteral("neg(%b), metadata={…}, a=1"));
  EXPECT_TRUE(line.isFoldAt(19));
  EXPECT_FALSE(line.isFoldAt(17));
  EXPECT_EQ(line.toSource(5), 5u);
  EXPECT_EQ(line.toSource(19), 18u);
  EXPECT_EQ(line.toSource(line.text.size() - 1), source.size() - 1);
  EXPECT_EQ(line.toDisplay(25), 18u);
  EXPECT_EQ(line.toDisplay(static_cast<uint32_t>(source.size())), line.text.size());
}

TEST(DisplayLine, columnsOfOtherScriptsAreThoseOfTheText) {
  const DisplayLine line = makeDisplayLine(QStringLiteral("\"日本\" %x"), true, lexHloLine);
  ASSERT_EQ(line.spans.size(), 2u);
  EXPECT_EQ(line.spans[1].start, 5u);
}

TEST(DisplayLine, hugeLinesAreCut) {
  EXPECT_EQ(makeDisplayLine(QString(1 << 20, u'a'), false, {}).text.size(), kMaxDrawnColumns + 1);
}

TEST(FindAll, plainRegexAndWholeWord) {
  const TextLines text = lines("add Add\nxaddx add.1\n日本 add");
  auto found = [&](FindQuery query) {
    const auto result = findAll(text, query, CancelToken());
    EXPECT_TRUE(result.has_value());
    return result->items;
  };
  using Matches = std::vector<TextMatch>;
  EXPECT_EQ(found({QStringLiteral("add"), false, true, false}),
            (Matches{{{0, 0}, 3}, {{1, 1}, 3}, {{1, 6}, 3}, {{2, 3}, 3}}));
  EXPECT_EQ(found({QStringLiteral("ADD"), false, false, true}),
            (Matches{{{0, 0}, 3}, {{0, 4}, 3}, {{1, 6}, 3}, {{2, 3}, 3}}));
  EXPECT_EQ(found({QStringLiteral("a..x"), true, true, false}), (Matches{{{1, 1}, 4}}));
  EXPECT_EQ(found({QStringLiteral("a.."), false, true, false}), Matches{});
  EXPECT_EQ(found({QStringLiteral("x*"), true, true, false}), (Matches{{{1, 0}, 1}, {{1, 4}, 1}}));
  EXPECT_EQ(found({}), Matches{});
}

TEST(FindAll, badExpressionsAndCancelling) {
  const auto bad = findAll(lines("a"), {QStringLiteral("("), true}, CancelToken());
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().kind, "invalid-regex");
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(findAll(lines("a"), {QStringLiteral("a")}, cancel).error().kind, "cancelled");
}

TEST(FindAll, keepsABoundedNumber) {
  const auto found =
      findAll(lines(std::string(kMaxMatches + 10, 'a')), {QStringLiteral("a"), false, true}, CancelToken());
  EXPECT_EQ(found->items.size(), kMaxMatches);
  EXPECT_TRUE(found->truncated);
}

}  // namespace
}  // namespace hilo
