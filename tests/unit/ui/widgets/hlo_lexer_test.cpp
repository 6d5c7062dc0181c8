#include "ui/widgets/hlo_lexer.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

const char* roleName(ColourRole role) {
  switch (role) {
    case ColourRole::kSyntaxKeyword:
      return "keyword";
    case ColourRole::kSyntaxOpcode:
      return "opcode";
    case ColourRole::kSyntaxName:
      return "name";
    case ColourRole::kSyntaxShape:
      return "shape";
    case ColourRole::kSyntaxNumber:
      return "number";
    case ColourRole::kSyntaxString:
      return "string";
    case ColourRole::kSyntaxComment:
      return "comment";
    case ColourRole::kSyntaxAttribute:
      return "attribute";
    case ColourRole::kSyntaxDimmed:
      return "dimmed";
    default:
      return "?";
  }
}

std::vector<std::string> lex(std::string_view line) {
  std::vector<TextSpan> spans;
  lexHloLine(line, spans);
  std::vector<std::string> words;
  for (const TextSpan& span : spans) {
    words.push_back(std::string(roleName(span.role)) + ":" +
                    std::string(line.substr(span.start, span.length)));
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(HloLexer, instruction) {
  EXPECT_EQ(lex("  ROOT %dot.1 = bf16[128,64]{1,0:T(8,128)} dot(%p.0, %p-1), lhs_contracting_dims={1}"),
            (Words{"keyword:ROOT", "name:%dot.1", "shape:bf16[128,64]{1,0:T(8,128)}", "opcode:dot",
                   "name:%p.0", "name:%p-1", "attribute:lhs_contracting_dims", "number:1"}));
}

TEST(HloLexer, namesWithoutPercent) {
  EXPECT_EQ(lex("add.3 = f32[] add(a, b.7)"),
            (Words{"name:add.3", "shape:f32[]", "opcode:add", "name:a", "name:b.7"}));
}

TEST(HloLexer, headers) {
  EXPECT_EQ(lex("HloModule jit_f, is_scheduled=true"),
            (Words{"keyword:HloModule", "name:jit_f", "attribute:is_scheduled", "keyword:true"}));
  EXPECT_EQ(lex("%region (x: s32[]) -> pred[] {"),
            (Words{"name:%region", "name:x", "shape:s32[]", "shape:pred[]"}));
}

TEST(HloLexer, tailsAreDimmedAsAWhole) {
  EXPECT_EQ(lex("%a = f32[] negate(%b), metadata={op_name=\"x{\\\"\" source_line=3}, foo=1"),
            (Words{"name:%a", "shape:f32[]", "opcode:negate", "name:%b", "attribute:metadata",
                   "dimmed:{op_name=\"x{\\\"\" source_line=3}", "attribute:foo", "number:1"}));
}

TEST(HloLexer, commentsStringsAndNumbers) {
  EXPECT_EQ(lex("/*index=5*/ constant({-1.5e-3, 0x1p4}) // end \"x\""),
            (Words{"comment:/*index=5*/", "opcode:constant", "number:-1.5e-3", "number:0x1", "name:p4",
                   "comment:// end \"x\""}));
  EXPECT_EQ(lex("f=\"a\\\"b\" c"), (Words{"attribute:f", "string:\"a\\\"b\"", "name:c"}));
}

TEST(HloLexer, unfinishedLinesEndAtTheirEnd) {
  for (std::string_view line :
       {"\"abc", "/* abc", "metadata={a={", "f32[1,2", "f32[1]{1,0", "%", "-", "a-"}) {
    std::vector<TextSpan> spans;
    lexHloLine(line, spans);
    uint32_t end = 0;
    for (const TextSpan& span : spans) {
      EXPECT_GE(span.start, end) << line;
      end = span.start + span.length;
    }
    EXPECT_LE(end, line.size()) << line;
  }
}

TEST(FindTails, findsValuesOutsideStrings) {
  const std::string_view line =
      "a(\"metadata={no}\"), backend_config=\"{x}\", metadata={b=\"}\"}, xmetadata={c}";
  const auto tails = findTails(line);
  ASSERT_EQ(tails.size(), 2u);
  EXPECT_EQ(line.substr(tails[0].start, tails[0].length), "\"{x}\"");
  EXPECT_EQ(line.substr(tails[1].start, tails[1].length), "{b=\"}\"}");
}

}  // namespace
}  // namespace hilo
