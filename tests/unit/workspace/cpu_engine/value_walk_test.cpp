// First divergence and the origin of NaNs, with the true values off by what a planted change of the module
// makes: an engine that runs another module stands in for one with a bug.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/nonfinite_origin.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The evaluator, but for every multiply it adds: wherever a multiply stands, this is wrong.
void addEngineThatAddsForMultiply() {
  static const bool added = [] {
    const Engine* reference = engineTable().find("reference");
    Engine broken = *reference;
    broken.name = "adds-for-multiply";
    broken.compile = [reference](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                 const CancelToken& cancel) {
      std::string text = printModule(*module, PrintOptions());
      for (size_t at = 0; (at = text.find(" multiply(", at)) != std::string::npos;)
        text.replace(at, 10, " add(");
      auto changed = parseModuleStrictly(text);
      CHECK(changed.has_value(), toString(changed.error()));
      return reference->compile(*std::move(changed), settings, cancel);
    };
    return engineTable().add(std::move(broken)).has_value();
  }();
  ASSERT_TRUE(added);
}

Divergence divergenceOf(const std::string& text, std::string engine = "adds-for-multiply") {
  addEngineThatAddsForMultiply();
  const auto found =
      findFirstDivergence({.truth = {.module = moduleOf(text)}, .engine = std::move(engine)}, JobContext());
  EXPECT_TRUE(found.has_value()) << toString(found.error());
  return found.value_or(Divergence());
}

TEST(FirstDivergence, NamesTheFirstOfSeveral) {
  const Divergence divergence = divergenceOf(R"(ENTRY e { a = f32[4] parameter(0)
  b = f32[4] add(a, a)
  c = f32[4] multiply(b, a)
  d = f32[4] multiply(c, b)
  ROOT r = f32[4] add(d, c) })");
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("c"));
  EXPECT_TRUE(divergence.onTrueOperands);
  EXPECT_EQ(divergence.step.worst.mismatches, 4);
  ASSERT_EQ(divergence.operands.size(), 2u);
  EXPECT_THAT(divergence.operands[0], HasSubstr("b: f32[4], "));
  ASSERT_EQ(divergence.steps.size(), 4u);
  EXPECT_TRUE(divergence.steps[0].agrees);
  EXPECT_FALSE(divergence.steps[2].agrees);
  EXPECT_TRUE(divergence.steps[3].agrees) << "on true operands the last one is right";
}

TEST(FirstDivergence, GoesIntoFusionsBranchesAndTheTurnOfALoop) {
  // The body squares what has grown past 4: 1, 2, 4 (turns 0 to 2 add), then the branch that multiplies.
  const Divergence divergence = divergenceOf(R"(
fused { x = f32[] parameter(0)
  y = f32[] negate(x)
  z = f32[] negate(y)
  ROOT q = f32[] multiply(z, x) }
grow { x = f32[] parameter(0)
  ROOT s = f32[] add(x, x) }
square { x = f32[] parameter(0)
  ROOT f = f32[] fusion(x), kind=kLoop, calls=fused }
)" + countingLoop("f32[]", 5, R"(four = f32[] constant(4)
  small = pred[] compare(v, four), direction=LT
  w = f32[] conditional(small, v, v), true_computation=grow, false_computation=square)") +
                                             R"(
ENTRY e { zero = s32[] constant(0)
  one = f32[] constant(1)
  t = (s32[], f32[]) tuple(zero, one)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body })");
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("l (turn 2)", "w (branch 1)", "f", "q"));
}

TEST(FirstDivergence, TheCpuEngineHasNone) {
  const Divergence divergence = divergenceOf(R"(
fused { x = f32[64] parameter(0)
  y = f32[64] exponential(x)
  ROOT z = f32[64] tanh(y) }
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e { a = f32[64] parameter(0)
  f = f32[64] fusion(a), kind=kLoop, calls=fused
  z = f32[] constant(0)
  s = f32[] reduce(f, z), dimensions={0}, to_apply=add
  ROOT t = (f32[64], f32[]) tuple(f, s) })",
                                             "cpu");
  EXPECT_FALSE(divergence.found) << divergence.path.size();
  EXPECT_EQ(divergence.steps.size(), 2u);
}

// An engine whose sums of products leave out the last element of dimension 1 of their first operand.
void addEngineThatForgetsATerm() {
  static const bool added = [] {
    const Engine* reference = engineTable().find("reference");
    Engine broken = *reference;
    broken.name = "forgets-a-term";
    broken.compile = [reference](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                 const CancelToken& cancel) {
      std::shared_ptr<Module> changed = module->clone();
      for (Computation* computation : changed->computations()) {
        for (Instruction* dot : computation->instructions()) {
          if (dot->opcode() != Opcode::Dot) continue;
          Instruction* lhs = dot->operand(0);
          Literal kept(lhs->shape());
          std::ranges::fill(kept.mutableData<float>(), 1.0f);
          const auto row = static_cast<size_t>(lhs->shape().dimension(1));
          for (size_t i = row - 1; i < kept.data<float>().size(); i += row) kept.mutableData<float>()[i] = 0;
          Instruction* mask = computation->createConstant(std::move(kept), dot);
          dot->setOperand(0, computation->create(Opcode::Multiply, lhs->shape(), {lhs, mask}, {}, dot));
        }
      }
      return reference->compile(std::move(changed), settings, cancel);
    };
    return engineTable().add(std::move(broken)).has_value();
  }();
  ASSERT_TRUE(added);
}

// Terms of about 1000 that cancel to almost nothing: each row beside itself negated, in other places.
const char* const kCancelling = R"(
add { p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q) }
fused { u = f32[48,512] parameter(0)
  v = f32[48,512] parameter(1)
  m = f32[48,512] multiply(u, v)
  zero = f32[] constant(0)
  r = f32[48] reduce(m, zero), dimensions={1}, to_apply=add
  e = f32[48] exponential(r)
  one = f32[] constant(1)
  o = f32[48] broadcast(one), dimensions={}
  ROOT c = f32[48] subtract(e, o) }
ENTRY e { a = f32[48,256] parameter(0)
  b = f32[48,256] parameter(1)
  thousand = f32[] constant(1000)
  t = f32[48,256] broadcast(thousand), dimensions={}
  at = f32[48,256] multiply(a, t)
  n = f32[48,256] negate(at)
  back = f32[48,256] reverse(n), dimensions={1}
  x = f32[48,512] concatenate(at, back), dimensions={1}
  bback = f32[48,256] reverse(b), dimensions={1}
  y = f32[48,512] concatenate(b, bback), dimensions={1}
  d0 = f32[48,48] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  half = f32[48,48] dot(at, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  scale = f32[] constant(1e-3)
  s = f32[48,48] broadcast(scale), dimensions={}
  less = f32[48,48] multiply(half, s)
  d1 = f32[48,48] dot(less, less), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  w = f32[48] fusion(x, y), kind=kLoop, calls=fused
  ROOT r = (f32[48,48], f32[48,48], f32[48]) tuple(d0, d1, w) })";

TEST(FirstDivergence, WhatMerelyCancelsIsNone) {
  for (const char* engine : {"cpu", "cpu:no-passes"}) {
    const Divergence divergence = divergenceOf(kCancelling, engine);
    EXPECT_FALSE(divergence.found) << engine << ": " << divergence.path.back();
  }
}

TEST(FirstDivergence, AMissingTermIsNamedAmongThoseThatCancel) {
  addEngineThatForgetsATerm();
  const Divergence divergence = divergenceOf(kCancelling, "forgets-a-term");
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("d0"));
  EXPECT_TRUE(divergence.onTrueOperands);
}

TEST(FirstDivergence, TurnsOfALoopThatAddUpAreNone) {
  // Each turn takes the sine of a sum that grows, and adds it: roundings of one turn are in all that follow.
  const Divergence divergence =
      divergenceOf(countingLoop("f32[64]", 60,
                                "k = f32[64] multiply(v, v)\n  h = f32[64] cosine(k)\n"
                                "  w = f32[64] add(v, h)") +
                       R"(
ENTRY e { zero = s32[] constant(0)
  a = f32[64] parameter(0)
  t = (s32[], f32[64]) tuple(zero, a)
  ROOT l = (s32[], f32[64]) while(t), condition=condition, body=body })",
                   "cpu");
  EXPECT_FALSE(divergence.found);
}

NonfiniteOrigin originOf(const std::string& text, std::string engine = "reference") {
  const auto found =
      findNonfiniteOrigin({.module = moduleOf(text), .engine = std::move(engine)}, JobContext());
  EXPECT_TRUE(found.has_value()) << toString(found.error());
  return found.value_or(NonfiniteOrigin());
}

TEST(NonfiniteOrigin, IsTheFirstOfFiniteOperands) {
  const char* text = R"(
fused { x = f32[3] parameter(0)
  m = f32[3] constant({1, -4, 9})
  p = f32[3] add(x, m)
  l = f32[3] sqrt(m)
  ROOT q = f32[3] add(l, p) }
ENTRY e { a = f32[3] constant({0, 1, 2})
  b = f32[3] fusion(a), kind=kLoop, calls=fused
  ROOT c = f32[3] divide(b, a) })";
  for (const char* engine : {"reference", "cpu"}) {
    const NonfiniteOrigin origin = originOf(text, engine);
    ASSERT_TRUE(origin.found);
    EXPECT_THAT(origin.path, ElementsAre("b", "l"));
    EXPECT_EQ(origin.nan, 1);
    EXPECT_EQ(origin.inf, 0);
    EXPECT_THAT(origin.first, HasSubstr("[1]: "));
    EXPECT_THAT(origin.operands, ElementsAre("m: f32[3], -4 to 9"));
  }
}

TEST(NonfiniteOrigin, NamesTheTurnOfALoopAndIsSilentOtherwise) {
  const NonfiniteOrigin origin = originOf(countingLoop("f32[]", 200, "w = f32[] add(v, v)") + R"(
ENTRY e { zero = s32[] constant(0)
  one = f32[] constant(1)
  t = (s32[], f32[]) tuple(zero, one)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body })");
  ASSERT_TRUE(origin.found);
  // 2^128 is the first past f32's reach.
  EXPECT_THAT(origin.path, ElementsAre("l (turn 127)", "w"));
  EXPECT_EQ(origin.inf, 1);
  EXPECT_FALSE(originOf("ENTRY e { a = f32[3] parameter(0)\n  ROOT b = f32[3] add(a, a) }").found);
}

}  // namespace
}  // namespace hilo
