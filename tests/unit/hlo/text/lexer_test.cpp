#include "core/hlo/text/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> tokens(const std::string& text) {
  Lexer lexer(text);
  std::vector<std::string> result;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    result.emplace_back(token.text);
  }
  return result;
}

TokenKind firstKind(const std::string& text) { return Lexer(text).next().kind; }

TEST(Lexer, SplitsAnInstructionIntoItsPieces) {
  EXPECT_THAT(
      tokens("ROOT %add.1 = f32[2,<=3]{1,0} add(%a, b), meta={n=\"x, y\"}"),
      ElementsAre("ROOT", "%add.1", "=", "f32", "[", "2", ",", "<=", "3", "]", "{", "1", ",", "0", "}", "add",
                  "(", "%a", ",", "b", ")", ",", "meta", "=", "{", "n", "=", "\"x, y\"", "}"));
}

TEST(Lexer, KeepsPatternsAndNumbersWhole) {
  EXPECT_THAT(tokens("pad=0_1x-2_3 size=1x2 x=1e+5 y=-1.5e-7 l=b01f_01io->b01f"),
              ElementsAre("pad", "=", "0_1x-2_3", "size", "=", "1x2", "x", "=", "1e+5", "y", "=", "-1.5e-7",
                          "l", "=", "b01f_01io", "->", "b01f"));
}

TEST(Lexer, SkipsEveryKindOfComment) {
  EXPECT_THAT(tokens("# RUN: x\n// CHECK: y\na /*index=5*/ b // c\nd"), ElementsAre("a", "b", "d"));
}

// Names and strings are scanned sixteen bytes at a time where the text goes on: every length and
// every byte value.
TEST(Lexer, NamesAndStringsEndWhereTheyDoWhateverTheirLength) {
  const std::string tail(40, ' ');
  for (size_t size = 1; size < 70; ++size) {
    const std::string name(size, 'n');
    EXPECT_THAT(tokens(name + "," + tail), ElementsAre(name, ",")) << size;
    EXPECT_THAT(tokens(name), ElementsAre(name)) << size;
    const std::string quoted = "\"" + std::string(size, '{') + "\"";
    EXPECT_THAT(tokens(quoted + ",x" + tail), ElementsAre(quoted, ",", "x")) << size;
    Lexer lexer("");
    const std::string braces = "{" + std::string(size, ' ') + quoted + "}";
    EXPECT_EQ((lexer = Lexer(braces)).braces(), std::string_view(braces)) << size;
  }
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string text = std::string(7, 'n') + c + std::string(40, 'n');
    EXPECT_EQ(nameEnd(text.data(), text.data() + text.size()) - text.data(), hasClass(c, kCharName) ? 48 : 7)
        << byte;
  }
}

TEST(Lexer, ReportsWhatStartsNothing) {
  EXPECT_EQ(firstKind("\"open"), TokenKind::Bad);
  EXPECT_EQ(firstKind("\"open\\"), TokenKind::Bad);
  EXPECT_EQ(firstKind("/* open"), TokenKind::Bad);
  EXPECT_EQ(firstKind("<3"), TokenKind::Bad);
  EXPECT_EQ(firstKind(std::string("\0", 1)), TokenKind::Bad);
  EXPECT_EQ(firstKind(""), TokenKind::End);
  EXPECT_EQ(firstKind("...}"), TokenKind::Dots);
}

TEST(Lexer, ReadsIntegersThatFit) {
  const auto read = [](const std::string& text) { return Lexer(text).integer(); };
  EXPECT_EQ(read("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(read("18446744073709551615"), -1);
  EXPECT_EQ(read("18446744073709551616"), std::nullopt);
  EXPECT_EQ(read("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(read("x"), std::nullopt);
}

TEST(Lexer, StringsEndAtTheirOwnQuote) {
  const std::string text = R"("a\"b'c" 'd"e')";
  Lexer lexer(text);
  bool escaped = false;
  EXPECT_EQ(lexer.quoted(&escaped), R"(a\"b'c)");
  EXPECT_TRUE(escaped);
  escaped = false;
  EXPECT_EQ(lexer.quoted(&escaped), "d\"e");
  EXPECT_FALSE(escaped);
}

TEST(Lexer, BracesHonourStringsInside) {
  const std::string text = R"({"a":"}", "b":{"c":1}} tail)";
  Lexer lexer(text);
  EXPECT_EQ(lexer.braces(), R"({"a":"}", "b":{"c":1}})");
  EXPECT_EQ(lexer.word(), "tail");
  EXPECT_EQ(Lexer("{\"").braces(), std::nullopt);
}

TEST(Lexer, AnOpaqueValueEndsAtItsComma) {
  const std::string text = "{a=(1,2), \"}\"} , next=1";
  Lexer lexer(text);
  EXPECT_EQ(lexer.opaqueValue(), "{a=(1,2), \"}\"}");
  EXPECT_TRUE(lexer.eat(','));
  EXPECT_EQ(lexer.word(), "next");
}

TEST(Lexer, LinesAndColumnsCountFromOne) {
  const std::string text = "a\nbc\n d";
  const LineColumn place = lineColumnOf(text, text.data() + 6);
  EXPECT_EQ(place.line, 3u);
  EXPECT_EQ(place.column, 2u);
}

}  // namespace
}  // namespace hilo
