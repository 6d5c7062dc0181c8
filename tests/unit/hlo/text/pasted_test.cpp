// HLO text in what people paste: found, and everything at the line and column it has there.
#include "core/hlo/text/pasted.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kModule = "HloModule m\n\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}\n";

// Unwraps, and checks that it cannot be done twice.
std::string alone(const std::string& text) {
  EXPECT_TRUE(isWrapped(text));
  std::string result = unwrapped(text);
  EXPECT_FALSE(isWrapped(result)) << result;
  return result;
}

TEST(Pasted, PlainTextIsNotWrapped) {
  EXPECT_FALSE(isWrapped(kModule));
  EXPECT_FALSE(
      isWrapped("HloModule m\nENTRY e { ROOT c = s8[] constant(1), metadata={op_name=\"R\\\"(x)\"} }"));
}

TEST(Pasted, FenceOfAnIssue) {
  EXPECT_EQ(alone(std::string("It crashes:\n```hlo\n") + kModule + "```\nThanks!\n"),
            std::string("           \n      \n") + kModule + "   \n       \n");
}

TEST(Pasted, FencesWithoutHloAreLeftOut) {
  const std::string text = alone(std::string("```\n$ run it\n```\n\n```\n") + kModule + "```\n");
  EXPECT_EQ(text, std::string("   \n        \n   \n\n   \n") + kModule + "   \n");
}

TEST(Pasted, SeveralFencesAreSeveralModules) {
  const std::string text =
      alone(std::string("before:\n```\n") + kModule + "```\nafter:\n```\n" + kModule + "```\n");
  const std::vector<ModuleText> pieces = splitModules(text);
  ASSERT_EQ(pieces.size(), 2u);
  for (const ModuleText& piece : pieces)
    EXPECT_TRUE(parseModuleStrictly(std::string(piece.text))) << piece.text;
  // The second ENTRY stands in line 13 of the file.
  EXPECT_EQ(text.substr(0, text.rfind("ENTRY")).find("HloModule"), 12u);
  EXPECT_EQ(std::ranges::count(text.substr(0, text.rfind("ENTRY")), '\n'), 12);
}

TEST(Pasted, StringsOfTests) {
  EXPECT_EQ(alone(std::string("  const char* hlo = R\"(\n") + kModule + ")\";\n"),
            std::string(24, ' ').substr(0, 23) + "\n" + kModule + "   \n");
  EXPECT_EQ(
      alone("auto m = R\"hlo(HloModule m\nENTRY e { ROOT p = f32[] parameter(0) })hlo\";"),
      std::string(15, ' ') + "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }" + std::string(6, ' '));
  EXPECT_EQ(alone(std::string("text = \"\"\"\n") + kModule + "\"\"\"\n"),
            std::string(10, ' ') + "\n" + kModule + "   \n");
}

TEST(Pasted, PlacesInALogAreThoseOfTheLog) {
  const std::string prefix = "I0717 12:00:00.000000 1234 hlo_pass.cc:55] ";
  const ParseResult result = parseModule(prefix + "HloModule m\n" + prefix + "\n" + prefix + "ENTRY e {\n" +
                                         prefix + "  ROOT p = f32[2] negate(q)\n" + prefix + "}\n");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].kind, "undefined-name");
  EXPECT_EQ(result.diagnostics[0].place.line, 4u);
  EXPECT_EQ(result.diagnostics[0].place.column, prefix.size() + 26);
}

}  // namespace
}  // namespace hilo
