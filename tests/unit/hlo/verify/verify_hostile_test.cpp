// Modules made to take the verifier long. Sizes are such that a quadratic or exponential walk would not end.
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

ParseResult parse(const std::string& text) {
  return parseModule(text, {.inferShape = [](const Instruction& i) { return inferShape(i); }});
}

TEST(VerifyHostile, ALongChainOfCallsWithOneNameInAll) {
  constexpr int kComputations = 50'000;
  std::string text = "HloModule m\nf0 { ROOT p = f32[] parameter(0) }\n";
  for (int i = 1; i < kComputations; ++i) {
    text +=
        fmt::format("f{} {{ p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f{} }}\n", i, i - 1);
  }
  text += fmt::format("ENTRY e {{ q = f32[] parameter(0)\n ROOT d = f32[] call(q), to_apply=f{} }}\n",
                      kComputations - 1);
  const ParseResult parsed = parse(text);
  ASSERT_FALSE(hasErrors(parsed.diagnostics));
  const Diagnostics findings = verify(*parsed.module);
  // "name-not-unique", as a warning, of p from f1 on and of c from f2 on; a hundred are kept.
  ASSERT_EQ(findings.size(), 100u);
  EXPECT_EQ(findings[0].kind, "name-not-unique");
  EXPECT_EQ(findings[0].place.line, 3u);
  EXPECT_EQ(findings[1].place.line, 5u);
  EXPECT_EQ(findings[2].place.line, 6u);
  EXPECT_EQ(findings[99].notes.size(), 1u);
}

TEST(VerifyHostile, AThreadIsThatOfTheFirstCallerThatSays) {
  const ParseResult parsed = parse(R"(HloModule m
a { ROOT p = f32[] parameter(0) }
b { q = f32[] parameter(0)
  ROOT c = f32[] call(q), to_apply=a }
g { r = f32[] parameter(0)
  ROOT d = f32[] fusion(r), kind=kLoop, calls=b
}, execution_thread="other"
ENTRY e { s = f32[] parameter(0)
  ROOT w = f32[] fusion(s), kind=kLoop, calls=g }
)");
  ASSERT_FALSE(hasErrors(parsed.diagnostics));
  const Diagnostics findings = verify(*parsed.module);
  // The fusion of the entry calls another thread's computation; the one in g calls its own thread's.
  ASSERT_EQ(findings.size(), 1u) << toString(findings[1]);
  EXPECT_EQ(findings[0].kind, "execution-thread");
  EXPECT_EQ(findings[0].place.instruction, "w");
}

TEST(VerifyHostile, TuplesThatDoubleAreRefused) {
  std::string text = "ENTRY e {\n t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 60; ++i) text += fmt::format(" t{0} = tuple(t{1}, t{1})\n", i, i - 1);
  const ParseResult parsed = parse(text + "}\n");
  ASSERT_TRUE(hasErrors(parsed.diagnostics));
  // 2^20 parts and the levels above them are over the limit.
  EXPECT_EQ(parsed.diagnostics[0].place.line, 22u);
}

TEST(VerifyHostile, TuplesNestedTooDeepAreRefused) {
  std::string text = "ENTRY e {\n t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 300; ++i) text += fmt::format(" t{0} = tuple(t{1})\n", i, i - 1);
  const ParseResult parsed = parse(text + "}\n");
  ASSERT_TRUE(hasErrors(parsed.diagnostics));
  EXPECT_EQ(parsed.diagnostics[0].place.line, 2u + 201u);
}

}  // namespace
}  // namespace hilo
