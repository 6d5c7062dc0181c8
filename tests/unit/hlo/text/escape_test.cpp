#include "core/hlo/text/escape.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  appendEscaped(out, text);
  return out;
}

TEST(Escape, EscapesQuotesControlsAndHighBytes) {
  EXPECT_EQ(escaped("a'b\"c\\d\n\t\r"), R"(a\'b\"c\\d\n\t\r)");
  EXPECT_EQ(escaped(std::string_view("\0\x1f\x7f\xc3\xa9", 5)), R"(\000\037\177\303\251)");
  EXPECT_EQ(escaped(""), "");
}

TEST(Escape, UnescapeReadsEveryForm) {
  EXPECT_EQ(unescape(R"(\'\"\\\n\101\x41\u00e9)"), "'\"\\\nAA\xc3\xa9");
  EXPECT_EQ(unescape(R"(\0)"), std::string(1, '\0'));
}

TEST(Escape, UnescapeRefusesWhatMeansNothing) {
  for (const char* text : {"\\", "\\q", "\\x", "\\777", "\\u12", "\\ud800"}) {
    EXPECT_EQ(unescape(text), std::nullopt) << text;
  }
}

TEST(Escape, EveryByteComesBack) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(unescape(escaped(all)), all);
}

}  // namespace
}  // namespace hilo
