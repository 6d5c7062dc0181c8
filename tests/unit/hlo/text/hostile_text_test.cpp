// Text made to hurt: whatever comes, an answer and no crash. Bounds on time and memory are the fuzzer's and
// the benchmarks' to watch; here the sizes are such that a quadratic or claimed-size mistake would not end.

#include <gtest/gtest.h>

#include <random>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/text/reader.h"

namespace hilo {
namespace {

const std::string kModule =
    "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}, frontend_attributes={a=\"b\"}\n\n"
    "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%a, %b), metadata={op_name=\"x\\'y\" stack_frame_id=3}\n}\n\n"
    "ENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0), sharding={devices=[2]<=[2]}\n"
    "  %c = f32[2]{0} constant({1, 2})\n  %w = (f32[2]{0}, /*index=1*/f32[]) custom-call(%p), "
    "custom_call_target=\"t\", backend_config={\"a\":{}}\n  ROOT %m = f32[2]{0} add(%p, %c)\n}\n\n";

// Parses, and if there is a module prints it and parses that.
void survive(const std::string& text) {
  const ParseResult result = parseModule(text);
  if (result.module == nullptr) {
    EXPECT_TRUE(hasErrors(result.diagnostics));
    return;
  }
  const std::string printed = printModule(*result.module, PrintOptions::asRead(*result.module));
  parseModule(printed);
}

TEST(HostileText, CutOffAnywhere) {
  for (size_t size = 0; size <= kModule.size(); ++size) survive(kModule.substr(0, size));
}

TEST(HostileText, WithAnyByteChanged) {
  for (size_t at = 0; at < kModule.size(); ++at) {
    for (char c : {'\0', '(', '{', '}', '"', ',', '%', '9', '\xff'}) {
      std::string text = kModule;
      text[at] = c;
      survive(text);
    }
  }
}

TEST(HostileText, BinaryGarbage) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string text = i % 2 == 0 ? "HloModule m\n" : "";
    for (int j = 0; j < 500; ++j) text += static_cast<char>(random());
    survive(text);
  }
}

TEST(HostileText, DeepNesting) {
  constexpr int kDeep = 1 << 20;
  const auto repeated = [](const char* piece, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
  };
  survive(repeated("(", kDeep));
  survive(repeated("{", kDeep));
  survive("x = " + repeated("(", kDeep));
  survive("ENTRY e {\n x = f32[] add(" + repeated("add(", kDeep) + "\n}\n");
  survive("ENTRY e {\n x = s32[] constant(" + repeated("{", kDeep) + ")\n}\n");
  survive("ENTRY e {\n x = f32[] copy(), sharding=" + repeated("{", kDeep) + "\n}\n");
  survive("ENTRY e {\n x = f32[] copy(), origin={" + repeated("(", kDeep) + "\n}\n");
  survive("ENTRY e {\n x = f32[] " + repeated("call(), to_apply={ y = f32[] ", 10'000) + "\n}\n");
  survive("ENTRY e {\n x = f32[] foo" + repeated("(", kDeep) + "\n}\n");
}

TEST(HostileText, ClaimedSizesAllocateNothing) {
  survive("ENTRY e {\n x = f32[1099511627776] constant({1, 2})\n}\n");
  survive("ENTRY e {\n x = f32[1099511627776,1099511627776] constant({...})\n}\n");
  survive("ENTRY e {\n x = f32[<=1099511627776] constant({1})\n}\n");
  survive("ENTRY e {\n x = f32[] parameter(9223372036854775807)\n}\n");
  survive("ENTRY e {\n x = f32[] copy(), sharding={devices=[1099511627776]<=[1099511627776]}\n}\n");
  survive("ENTRY e {\n x = f32[] copy(), dim_labels=b9f_9io->b9f\n}\n");
}

TEST(HostileText, LongListsAreLinear) {
  constexpr int kMany = 200'000;
  std::string text = "ENTRY e {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n z = f32[] custom-call(";
  for (int i = 0; i < kMany; ++i) text += i % 2 == 0 ? "x, " : "y, ";
  text += "x), custom_call_target=\"t\"\n}\n";
  survive(text);
  std::string strings = "ENTRY e {\n";
  for (int i = 0; i < kMany; ++i) strings += "\"\n";
  survive(strings);
  std::string comments;
  for (int i = 0; i < kMany; ++i) comments += "/*";
  survive(comments);
}

// What the first error says of `text`.
std::string firstKind(const std::string& text) {
  for (const Diagnostic& diagnostic : parseModule(text).diagnostics) {
    if (diagnostic.severity == Severity::kError) return diagnostic.kind;
  }
  return "";
}

std::string repeated(std::string_view piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(HostileText, ListsLongerThanAnythingRealAreRefused) {
  const size_t kTooMany = Reader::kMaxListItems;
  EXPECT_EQ(firstKind("ENTRY e {\n p = f32[] parameter(0)\n x = f32[] broadcast(p), dimensions={" +
                      repeated("1,", kTooMany) + "1}\n}\n"),
            "list-too-long");
  EXPECT_EQ(firstKind("ENTRY e {\n p = f32[] parameter(0)\n x = f32[] all-reduce(p), replica_groups={" +
                      repeated("{1},", kTooMany) + "{1}}\n}\n"),
            "list-too-long");
  EXPECT_EQ(firstKind("ENTRY e {\n p = f32[] parameter(0)" + repeated(", zz=1", 1001) + "\n}\n"),
            "list-too-long");
  EXPECT_EQ(firstKind("HloModule m" + repeated(", zz=1", 1001) + "\nENTRY e {\n p = f32[] parameter(0)\n}\n"),
            "list-too-long");
  EXPECT_EQ(firstKind("ENTRY e {\n p = f32[1]{0:T" + repeated("(1)", kTooMany + 1) + "} parameter(0)\n}\n"),
            "list-too-long");
  EXPECT_EQ(firstKind("ENTRY e {\n p = f32[] parameter(0), frontend_attributes={" +
                      repeated("a=\"b\",", kTooMany) + "a=\"b\"}\n}\n"),
            "list-too-long");
  EXPECT_EQ(
      firstKind("ENTRY e {\n p = f32[] parameter(0), window={size=" + repeated("1x", kTooMany) + "1}\n}\n"),
      "list-too-long");
}

// A table of as many parameters as the number says, for each of the computations, would not fit in memory.
TEST(HostileText, AParametersNumberCostsNothing) {
  std::string text = "HloModule m\n";
  for (int i = 0; i < 5'000; ++i) text += fmt::format("f{} {{ ROOT p = f32[] parameter(16777215) }}\n", i);
  const ParseResult result =
      parseModule(text + "ENTRY e {\n b = f32[] parameter(1)\n a = f32[] parameter(0)\n}\n");
  ASSERT_FALSE(hasErrors(result.diagnostics));
  EXPECT_TRUE(result.module->computations()[0]->parameters().empty());
  // In the order of their numbers, not of the text.
  const auto parameters = result.module->entry()->parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0]->name(), "a");
  EXPECT_EQ(parameters[1]->name(), "b");
}

// A hundred warnings are kept; those that are not cost no search for the name that was meant.
TEST(HostileText, UnknownOpcodesAndAttributesAreLinear) {
  std::string text = "ENTRY e {\n p = f32[] parameter(0)\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format(" c{0} = f32[] zz{0}(p), yy{0}=1, xx=2\n", i);
  const ParseResult result = parseModule(text + "}\n");
  ASSERT_NE(result.module, nullptr);
  EXPECT_EQ(result.module->entry()->instructionCount(), 100'001u);
  EXPECT_EQ(result.diagnostics.size(), 100u);
}

TEST(HostileText, AMessageQuotesALongNameInPart) {
  const std::string name(1'000'000, 'n');
  const ParseResult result =
      parseModule("ENTRY e {\n " + name + " = f32[] parameter(0)\n x = f32[] negate(q" + name + ")\n}\n");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_LT(result.diagnostics[0].message.size(), 3'000u);
  EXPECT_NE(result.diagnostics[0].message.find("bytes more"), std::string::npos);
}

}  // namespace
}  // namespace hilo
