// Every algebraic rule: a computation it applies to, that it did apply, and that the value is the same before
// and after, by the reference evaluator on seeded arguments.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/all_passes.h"
#include "core/compiler/passes/simplify/algebra/rule.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

struct Case {
  std::string_view rule;
  std::string_view body;  // of the entry computation
};

// In scope: x, y of f32[4], n, m of s32[4], t of f32[2,3], and the computation sum.
constexpr Case kCases[] = {
    {"add-zero", "z = f32[] constant(0) b = f32[4] broadcast(z), dimensions={} ROOT r = f32[4] add(b, x)"},
    {"subtract-zero", "z = f32[4] constant({0, 0, 0, 0}) ROOT r = f32[4] subtract(x, z)"},
    {"subtract-self", "ROOT r = s32[4] subtract(n, n)"},
    {"multiply-one",
     "o = f32[] constant(1) b = f32[4] broadcast(o), dimensions={} ROOT r = f32[4] multiply(x, b)"},
    {"multiply-zero",
     "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] multiply(b, n)"},
    {"divide-one",
     "o = s32[] constant(1) b = s32[4] broadcast(o), dimensions={} ROOT r = s32[4] divide(n, b)"},
    {"divide-by-power-of-two",
     "c = f32[] constant(8) b = f32[4] broadcast(c), dimensions={} ROOT r = f32[4] divide(x, b)"},
    {"remainder-one",
     "o = s32[] constant(1) b = s32[4] broadcast(o), dimensions={} ROOT r = s32[4] remainder(n, b)"},
    {"power-one", "o = f32[] constant(1) b = f32[4] broadcast(o), dimensions={} ROOT r = f32[4] power(x, b)"},
    {"power-two", "c = f32[] constant(2) b = f32[4] broadcast(c), dimensions={} ROOT r = f32[4] power(x, b)"},
    {"power-minus-one",
     "c = f32[] constant(-1) b = f32[4] broadcast(c), dimensions={} ROOT r = f32[4] power(x, b)"},
    {"negate-negate", "a = f32[4] negate(x) ROOT r = f32[4] negate(a)"},
    {"abs-abs", "a = f32[4] abs(x) ROOT r = f32[4] abs(a)"},
    {"maximum-self", "ROOT r = f32[4] maximum(x, x)"},
    {"minimum-self", "ROOT r = s32[4] minimum(n, n)"},
    {"real-of-complex", "c = c64[4] complex(x, y) ROOT r = f32[4] real(c)"},
    {"imag-of-complex", "c = c64[4] complex(x, y) ROOT r = f32[4] imag(c)"},
    {"complex-of-parts",
     "c = c64[4] complex(x, y) d = c64[4] negate(c) re = f32[4] real(d) im = f32[4] imag(d) ROOT r = c64[4] "
     "complex(re, im)"},
    {"and-self", "ROOT r = s32[4] and(n, n)"},
    {"and-zero", "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] and(n, b)"},
    {"and-ones", "z = s32[] constant(-1) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] and(n, b)"},
    {"or-self", "ROOT r = s32[4] or(n, n)"},
    {"or-zero", "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] or(b, n)"},
    {"or-ones", "z = s32[] constant(-1) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] or(n, b)"},
    {"xor-zero", "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] xor(n, b)"},
    {"xor-self", "ROOT r = s32[4] xor(n, n)"},
    {"not-not", "a = s32[4] not(n) ROOT r = s32[4] not(a)"},
    {"not-compare", "c = pred[4] compare(n, m), direction=LT ROOT r = pred[4] not(c)"},
    {"shift-left-zero",
     "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] shift-left(n, b)"},
    {"shift-right-arithmetic-zero",
     "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] shift-right-arithmetic(n, "
     "b)"},
    {"shift-right-logical-zero",
     "z = s32[] constant(0) b = s32[4] broadcast(z), dimensions={} ROOT r = s32[4] shift-right-logical(n, "
     "b)"},
    {"select-same", "c = pred[4] compare(n, m), direction=LT ROOT r = f32[4] select(c, x, x)"},
    {"select-constant",
     "no = pred[] constant(false) b = pred[4] broadcast(no), dimensions={} ROOT r = f32[4] select(b, x, y)"},
    {"compare-self", "ROOT r = pred[4] compare(n, n), direction=LE"},
    {"convert-to-same", "ROOT r = f32[4] convert(x)"},
    {"convert-back", "w = s64[4] convert(n) ROOT r = s32[4] convert(w)"},
    {"bitcast-convert-to-same", "ROOT r = f32[4] bitcast-convert(x)"},
    {"bitcast-to-same", "ROOT r = f32[4] bitcast(x)"},
    {"bitcast-bitcast", "a = f32[3,2]{1,0} bitcast(t) ROOT r = f32[6]{0} bitcast(a)"},
    {"reshape-to-same", "ROOT r = f32[4] reshape(x)"},
    {"reshape-reshape", "a = f32[3,2] reshape(t) ROOT r = f32[6] reshape(a)"},
    {"transpose-identity", "ROOT r = f32[2,3] transpose(t), dimensions={0,1}"},
    {"transpose-transpose",
     "b = f32[2,3,5] broadcast(t), dimensions={0,1} a = f32[5,2,3] transpose(b), dimensions={2,0,1} "
     "ROOT r = f32[2,5,3] transpose(a), dimensions={1,0,2}"},
    {"broadcast-to-same", "ROOT r = f32[4] broadcast(x), dimensions={0}"},
    {"broadcast-broadcast",
     "a = f32[4,2] broadcast(x), dimensions={0} ROOT r = f32[3,2,4] broadcast(a), dimensions={2,1}"},
    {"broadcast-iota", "a = s32[4] iota(), iota_dimension=0 ROOT r = s32[3,4] broadcast(a), dimensions={1}"},
    {"reverse-nothing", "a = f32[1,4] reshape(x) ROOT r = f32[1,4] reverse(a), dimensions={0}"},
    {"reverse-reverse",
     "a = f32[2,3] reverse(t), dimensions={0,1} ROOT r = f32[2,3] reverse(a), dimensions={1,0}"},
    {"concatenate-one", "ROOT r = f32[4] concatenate(x), dimensions={0}"},
    {"concatenate-empty", "e = f32[0] constant({}) ROOT r = f32[8] concatenate(x, e, y), dimensions={0}"},
    {"reduce-nothing", "z = f32[] constant(0) ROOT r = f32[4] reduce(x, z), dimensions={}, to_apply=sum"},
    {"iota-of-one", "ROOT r = s32[1,3] iota(), iota_dimension=0"},
    {"copy-copy", "a = f32[4] copy(x) ROOT r = f32[4] copy(a)"},
    {"slice-whole", "ROOT r = f32[4] slice(x), slice={[0:4]}"},
    {"slice-slice", "a = f32[3] slice(x), slice={[1:4]} ROOT r = f32[2] slice(a), slice={[0:3:2]}"},
    {"slice-slice", "a = f32[1] slice(x), slice={[2:3:3]} ROOT r = f32[0] slice(a), slice={[1:1]}"},
    {"slice-of-concatenate",
     "c = f32[8] concatenate(x, y), dimensions={0} ROOT r = f32[2] slice(c), slice={[5:7]}"},
    {"pad-nothing", "z = f32[] constant(0) ROOT r = f32[4] pad(x, z), padding=0_0"},
    {"dynamic-slice-whole",
     "i = s32[] constant(7) ROOT r = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}"},
    {"dynamic-slice-constant",
     "i = s32[] constant(3) ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}"},
    {"dynamic-update-slice-whole", "i = s32[] constant(2) ROOT r = f32[4] dynamic-update-slice(x, y, i)"},
};

std::shared_ptr<const Module> moduleOf(std::string_view body) {
  std::string text = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  n = s32[4] parameter(2)
  m = s32[4] parameter(3)
  t = f32[2,3] parameter(4)
  )";
  text += body;
  text += "\n}\n";
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << toString(module.error()) << "\n" << text;
  return module ? std::shared_ptr<const Module>(*std::move(module)) : nullptr;
}

class AlgebraRule : public testing::TestWithParam<Case> {};

TEST_P(AlgebraRule, AppliesAndKeepsTheValue) {
  const auto before = moduleOf(GetParam().body);
  ASSERT_NE(before, nullptr);
  const PassRun run = runPasses(before, {findPass("algebraic-simplifier")}, {});
  ASSERT_EQ(run.steps[0].outcome, PassOutcome::Changed)
      << (run.steps[0].problems.empty() ? "" : toString(run.steps[0].problems[0]));
  std::vector<std::string> applied;
  for (const Remark& remark : run.steps[0].remarks)
    applied.push_back(remark.message.substr(0, remark.message.find(':')));
  EXPECT_THAT(applied, testing::Contains(GetParam().rule));

  const auto arguments = makeArguments(*before, 42);
  ASSERT_TRUE(arguments.has_value());
  const auto valueBefore = evaluate(*before, arguments->arguments);
  const auto valueAfter = evaluate(*run.output(), arguments->arguments);
  ASSERT_TRUE(valueBefore.has_value()) << toString(valueBefore.error());
  ASSERT_TRUE(valueAfter.has_value()) << toString(valueAfter.error());
  EXPECT_TRUE(*valueBefore == *valueAfter);
}

std::string caseName(const testing::TestParamInfo<Case>& info) {
  std::string name(info.param.rule);
  std::ranges::replace(name, '-', '_');
  return fmt::format("{}_{}", name, info.index);
}
INSTANTIATE_TEST_SUITE_P(All, AlgebraRule, testing::ValuesIn(kCases), caseName);

TEST(AlgebraRules, EveryRuleHasACase) {
  for (const algebra::Rule& rule : algebra::allRules()) {
    EXPECT_NE(std::ranges::find(kCases, rule.name, &Case::rule), std::end(kCases))
        << "no case for rule " << rule.name;
  }
}

}  // namespace
}  // namespace hilo
