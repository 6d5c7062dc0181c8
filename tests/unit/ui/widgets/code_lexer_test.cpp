#include "ui/widgets/code_lexer.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// The words of a line that have the role.
std::vector<std::string> words(const char* file, std::string_view line, ColourRole role) {
  std::vector<TextSpan> spans;
  lexerForFile(file)(line, spans);
  std::vector<std::string> found;
  uint32_t end = 0;
  for (const TextSpan& span : spans) {
    EXPECT_GE(span.start, end);
    end = span.start + span.length;
    EXPECT_LE(end, line.size());
    if (span.role == role) found.emplace_back(line.substr(span.start, span.length));
  }
  return found;
}
using Words = std::vector<std::string>;

TEST(CodeLexer, LlvmIr) {
  const std::string_view line = "  %3 = load float, ptr %2, align 16, !invariant.load !0 ; why";
  EXPECT_EQ(words("a.ir-with-opt.ll", line, ColourRole::kSyntaxName),
            (Words{"%3", "%2", "!invariant.load", "!0"}));
  EXPECT_EQ(words("a.ll", line, ColourRole::kSyntaxOpcode), Words{"load"});
  EXPECT_EQ(words("a.ll", line, ColourRole::kSyntaxShape), (Words{"float", "ptr"}));
  EXPECT_EQ(words("a.ll", line, ColourRole::kSyntaxComment), Words{"; why"});
  EXPECT_EQ(words("a.ll.gz", line, ColourRole::kSyntaxNumber), Words{"16"});
}

TEST(CodeLexer, Ptx) {
  const std::string_view line = "\tld.param.u64 \t%rd1, [fusion_param_0]; // in";
  EXPECT_EQ(words("a.ptx", line, ColourRole::kSyntaxName), Words{"%rd1"});
  EXPECT_EQ(words("a.ptx", line, ColourRole::kSyntaxOpcode), Words{"ld"});
  EXPECT_EQ(words("a.ptx", line, ColourRole::kSyntaxShape), (Words{".param", ".u64"}));
  EXPECT_EQ(words("a.ptx", line, ColourRole::kSyntaxComment), Words{"// in"});
}

TEST(CodeLexer, JsonAndTextProto) {
  EXPECT_EQ(words("a.json", R"({"name": "x\"y", "n": -1.5e+3, "on": true})", ColourRole::kSyntaxAttribute),
            (Words{"\"name\"", "\"n\"", "\"on\""}));
  EXPECT_EQ(words("a.json", R"({"name": "x\"y", "n": -1.5e+3})", ColourRole::kSyntaxString),
            Words{R"("x\"y")"});
  EXPECT_EQ(words("a.json", R"({"n": -1.5e+3})", ColourRole::kSyntaxNumber), Words{"-1.5e+3"});
  EXPECT_EQ(words("m.debug_options", "xla_gpu_autotune_level: 4 # four", ColourRole::kSyntaxAttribute),
            Words{"xla_gpu_autotune_level"});
  EXPECT_EQ(words("a.pbtxt", "device {", ColourRole::kSyntaxAttribute), Words{"device"});
}

TEST(CodeLexer, UnfinishedStringsAndOddBytesEndWithTheLine) {
  for (const char* file : {"a.ll", "a.ptx", "a.json", "a.mlir", "a.txt"}) {
    for (const char* line : {"\"open", "\"open\\", "%", "!", ".", "-", "\xff\xfe %\xff", ""})
      words(file, line, ColourRole::kText);
  }
}

}  // namespace
}  // namespace hilo
