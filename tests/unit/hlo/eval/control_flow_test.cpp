#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

constexpr char kSumLoop[] = R"(
condition {
  s = (s32[], s32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = s32[1] reshape(next)
  u = s32[3] dynamic-update-slice(a, v, i)
  ROOT t = (s32[], s32[3]) tuple(next, u)
}
ENTRY e {
  zero = s32[] constant(0)
  a = s32[3] parameter(0)
  t = (s32[], s32[3]) tuple(zero, a)
  ROOT w = (s32[], s32[3]) while(t), condition=condition, body=body
})";

TEST(EvalControlFlow, While) { expectEval(kSumLoop, {"s32[3] {9, 9, 9}"}, {"s32[] 3", "s32[3] {1, 2, 3}"}); }

TEST(EvalControlFlow, AnUpdateInPlaceLeavesTheArgumentAlone) {
  auto module = parseModuleStrictly(std::string("HloModule m\n") + kSumLoop);
  ASSERT_TRUE(module.has_value());
  const Literal argument = literalOf("s32[3] {9, 9, 9}");
  ASSERT_TRUE(evaluate(**module, std::span(&argument, 1)).has_value());
  EXPECT_TRUE(argument == literalOf("s32[3] {9, 9, 9}"));
}

constexpr char kBranches[] = R"(
a { x = f32[] parameter(0)
  ROOT r = f32[] negate(x) }
b { x = f32[] parameter(0)
  ROOT r = f32[] add(x, x) }
c { x = f32[] parameter(0)
  ROOT r = f32[] multiply(x, x) }
)";

TEST(EvalControlFlow, ConditionalByIndexTakesTheLastWhenOutside) {
  const std::string text = std::string(kBranches) + R"(ENTRY e {
    i = s32[] parameter(0)
    x = f32[] parameter(1)
    ROOT r = f32[] conditional(i, x, x, x), branch_computations={a, b, c}
  })";
  expectEval(text, {"s32[] 0", "f32[] 5"}, {"f32[] -5"});
  expectEval(text, {"s32[] 1", "f32[] 5"}, {"f32[] 10"});
  expectEval(text, {"s32[] 7", "f32[] 5"}, {"f32[] 25"});
  expectEval(text, {"s32[] -1", "f32[] 5"}, {"f32[] 25"});
}

TEST(EvalControlFlow, ConditionalByPred) {
  const std::string text = std::string(kBranches) + R"(ENTRY e {
    p = pred[] parameter(0)
    x = f32[] parameter(1)
    ROOT r = f32[] conditional(p, x, x), true_computation=a, false_computation=b
  })";
  expectEval(text, {"pred[] true", "f32[] 5"}, {"f32[] -5"});
  expectEval(text, {"pred[] false", "f32[] 5"}, {"f32[] 10"});
}

TEST(EvalControlFlow, CallFusionAndAsync) {
  expectEval(std::string(kBranches) + R"(ENTRY e {
    x = f32[] parameter(0)
    y = f32[] call(x), to_apply=a
    z = f32[] fusion(y), kind=kLoop, calls=b
    s = ((f32[]), f32[], u32[]) async-start(z), calls=c
    u = ((f32[]), f32[], u32[]) async-update(s), calls=c
    d = f32[] async-done(u), calls=c
    cs = (f32[], f32[], u32[]) copy-start(d)
    ROOT cd = f32[] copy-done(cs)
  })",
             {"f32[] 3"}, {"f32[] 36"});
}

TEST(EvalControlFlow, OrderingOperationsForwardTheirValue) {
  expectEval(R"(
    x = f32[2] parameter(0)
    t = token[] after-all()
    a = f32[2] add-dependency(x, t)
    b = f32[2] opt-barrier(a)
    r = u32[] replica-id()
    p = u32[] partition-id()
    ROOT o = (f32[2], u32[], u32[]) tuple(b, r, p))",
             {"f32[2] {1, 2}"}, {"f32[2] {1, 2}", "u32[] 0", "u32[] 0"});
}

TEST(EvalControlFlow, ABarrierHandsTuplesOn) {
  expectEval(R"(x = f32[2] parameter(0)
    y = s32[] parameter(1)
    inner = (s32[], f32[2]) tuple(y, x)
    whole = (f32[2], (s32[], f32[2])) tuple(x, inner)
    b = (f32[2], (s32[], f32[2])) opt-barrier(whole)
    first = f32[2] get-tuple-element(b), index=0
    second = (s32[], f32[2]) get-tuple-element(b), index=1
    number = s32[] get-tuple-element(second), index=0
    ROOT o = (f32[2], s32[]) tuple(first, number))",
             {"f32[2] {1, 2}", "s32[] 3"}, {"f32[2] {1, 2}", "s32[] 3"});
}

TEST(EvalControlFlow, LimitsEndTheRun) {
  const std::string endless = R"(
condition { s = s32[] parameter(0)
  ROOT t = pred[] constant(true) }
body { s = s32[] parameter(0)
  ROOT r = s32[] negate(s) }
ENTRY e { z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=condition, body=body })";
  EXPECT_EQ(errorKind(endless, {}, {.maxSteps = 1000}), "step-limit");
  EXPECT_EQ(errorKind(endless, {}, {.maxLoopIterations = 10}), "step-limit");
  EvalOptions cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(errorKind(endless, {}, cancelled), "cancelled");
  EXPECT_EQ(errorKind("z = f32[] constant(0)\nROOT b = f32[100000] broadcast(z), dimensions={}", {},
                      {.maxLiveBytes = 1000}),
            "memory-limit");
  const std::string recursive = R"(
again { s = s32[] parameter(0)
  ROOT r = s32[] call(s), to_apply=again }
ENTRY e { z = s32[] constant(0)
  ROOT w = s32[] call(z), to_apply=again })";
  auto module = parseModule("HloModule m\n" + recursive).module;
  ASSERT_NE(module, nullptr);
  EXPECT_FALSE(evaluate(*module, {}).has_value());
}

TEST(EvalControlFlow, ArgumentsAreChecked) {
  EXPECT_EQ(errorKind("ROOT p = f32[2] parameter(0)", {}), "wrong-argument");
  EXPECT_EQ(errorKind("ROOT p = f32[2] parameter(0)", {"f32[3] {1, 2, 3}"}), "wrong-argument");
  EXPECT_EQ(errorKind("ROOT c = f32[2] constant({...})", {}), "elided-constant");
}

}  // namespace
}  // namespace hilo
