#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// "LINE:COL kind" of each diagnostic.
std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> result;
  for (const Diagnostic& d : parseModule(text).diagnostics) {
    result.push_back(fmt::format("{}:{} {}", d.place.line, d.place.column, d.kind));
  }
  return result;
}

using Problems = std::vector<std::string>;

TEST(ParseErrors, EachHasItsPlaceAndTheRestIsRead) {
  const std::string text =
      "HloModule m\nENTRY e {\n"
      "  a = f32[2] parameter(0)\n"
      "  b = f32[2] negate(missing)\n"
      "  c = f32[2 negate(a)\n"
      "  a = f32[2] negate(a)\n"
      "  ROOT d = f32[2] add(a, b)\n"
      "  ROOT e = f32[2] copy(d)\n"
      "}\n";
  EXPECT_EQ(problems(text), (Problems{"4:21 undefined-name", "5:13 unexpected-token", "6:3 duplicate-name",
                                      "8:3 duplicate-root"}));
  const ParseResult result = parseModule(text);
  // What could not be read stands there under its name.
  EXPECT_EQ(result.module->entry()->find("b")->opcode(), Opcode::Opaque);
  EXPECT_EQ(result.module->entry()->find("d")->operand(1)->name(), "b");
}

TEST(ParseErrors, NamesSuggestTheClosest) {
  const ParseResult result = parseModule(
      std::string("ENTRY e {\n  input = f32[] parameter(0)\n  ROOT n = f32[] negate(inptu)\n}\n"));
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].notes, (std::vector<std::string>{"did you mean 'input'?"}));
}

TEST(ParseErrors, FileAndFirstLineAreTheCallers) {
  const ParseResult result = parseModule(std::string("ENTRY e {\n  x = f32[] negate(y)\n}\n"),
                                         {.fileName = "a.hlo", .firstLine = 10});
  EXPECT_EQ(toString(result.diagnostics.at(0)).substr(0, 12), "a.hlo:11:20:");
}

TEST(ParseErrors, ModulesThatAreNone) {
  EXPECT_EQ(problems(""), Problems{"1:1 empty-text"});
  EXPECT_EQ(problems("// nothing\n"), Problems{"2:1 empty-text"});
  EXPECT_EQ(problems("HloModule m\n"), Problems{"0:0 empty-module"});
  EXPECT_EQ(parseModule(std::string("HloModule m\n")).module, nullptr);
}

TEST(ParseErrors, WhatReachesFurtherThanOneInstruction) {
  EXPECT_EQ(problems("ENTRY a {\n x = f32[] parameter(0)\n}\nENTRY b {\n y = f32[] parameter(0)\n}\n"),
            Problems{"4:1 duplicate-entry"});
  EXPECT_EQ(problems("a {\n x = f32[] parameter(0)\n}\na {\n y = f32[] parameter(0)\n}\n"),
            Problems{"4:1 duplicate-name"});
  EXPECT_EQ(problems("ENTRY a () -> s32[] {\n x = f32[] parameter(0)\n}\n"),
            Problems{"1:9 signature-mismatch"});
  EXPECT_EQ(problems("ENTRY a {\n x = f32[] parameter(0)\n"), Problems{"3:1 unexpected-end"});
  EXPECT_EQ(problems("ENTRY a {\n x = f32[] call(), to_apply=a\n}\n"),
            Problems{"2:29 undefined-computation"});
  EXPECT_EQ(problems("ENTRY a {\n x = f32[] negate(x)\n}\n"), Problems{"2:19 undefined-name"});
  EXPECT_EQ(problems("ENTRY a {\n x = negate(x)\n}\n"), Problems{"2:13 undefined-name"});
  EXPECT_EQ(problems("ENTRY a {\n x = f32[] parameter(-1)\n}\n"), Problems{"2:22 bad-parameter-number"});
  EXPECT_EQ(problems("ENTRY a {\n y = s32[] parameter(0)\n x = f32[] negate(f32[] y)\n}\n"),
            Problems{"3:19 operand-shape-mismatch"});
  EXPECT_EQ(problems("ENTRY a {\n y = (s32[]) parameter(0)\n x = s32[] negate(y#1)\n}\n"),
            Problems{"3:19 bad-tuple-index"});
  EXPECT_EQ(problems("ENTRY a {\n y = f32[] parameter(0)\n x = f32[] negate-start(y)\n}\n"),
            Problems{"3:2 bad-async-shape"});
}

TEST(ParseErrors, AValueOfUnknownFormMustEnd) {
  const std::string end = "\n  ROOT b = f32[] parameter(0)\n}\n";
  for (const std::string value : {"{1,(2}", "\"text", "[{)"}) {
    const std::string line = "  a = f32[] custom-call(), mine=" + value;
    EXPECT_EQ(problems("ENTRY e {\n" + line + end).back(), "2:33 unterminated-value") << value;
    EXPECT_NE(parseModule("ENTRY e {\n" + line + end).module->entry()->find("b"), nullptr) << value;
  }
  EXPECT_EQ(problems("ENTRY e {\n  a = f32[] fum(1, {2)" + end).back(), "2:20 unterminated-value");
}

TEST(ParseErrors, AreCounted) {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 300; ++i) text += fmt::format("  x{} = f32[] negate(y)\n", i);
  const ParseResult result = parseModule(text + "}\n");
  EXPECT_EQ(result.diagnostics.size(), 100u);
}

}  // namespace
}  // namespace hilo
