#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/handlers.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// What this evaluator refuses by name; everything else in ops.def must have a handler of its own.
constexpr Opcode kRefused[] = {Opcode::Opaque};

TEST(EvalTable, EveryOpcodeHasAHandler) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool refused = std::ranges::find(kRefused, opcode) != std::end(kRefused);
    EXPECT_EQ(handlerOf(opcode) == eval::unsupported, refused) << opcodeName(opcode);
  }
}

// An elementwise opcode without a kernel for any type would pass the test above.
TEST(EvalTable, EveryElementwiseOpcodeHasAKernelForSomeType) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (handlerOf(opcode) != eval::elementwise || opcode == Opcode::Compare ||
        opcode == Opcode::ReducePrecision)
      continue;
    bool any = false;
    for (const ElementType type : {ElementType::Pred, ElementType::S32, ElementType::F32, ElementType::C64}) {
      any |= opcodeArity(opcode) == 1 ? unaryKernelFn(opcode, type, type) != nullptr
                                      : binaryKernelFn(opcode, type) != nullptr;
    }
    EXPECT_TRUE(any) << opcodeName(opcode);
  }
}

std::vector<std::string> obstacles(const std::string& body) {
  auto module = parseModuleStrictly("HloModule m\nENTRY e {\n" + body + "\n}\n");
  if (!module) return {toString(module.error())};
  std::vector<std::string> kinds;
  for (const Diagnostic& d : checkRunnable(**module)) kinds.push_back(d.place.instruction + ": " + d.kind);
  return kinds;
}

TEST(EvalTable, CheckRunnableNamesEveryObstacle) {
  EXPECT_EQ(obstacles(R"(
    p = f32[4] parameter(0)
    s = f32[4] custom-call(p), custom_call_target="Sharding"
    c = f32[4] custom-call(s), custom_call_target="mystery"
    g = f32[8] all-gather(c), replica_groups={{0,1}}, dimensions={0}
    ROOT n = f32[4] exponential(c))"),
            (std::vector<std::string>{"c: unsupported-opcode", "g: unsupported-opcode"}));
  EXPECT_EQ(obstacles("p = pred[4] parameter(0)\nROOT n = pred[4] exponential(p)"),
            (std::vector<std::string>{"n: unsupported-type"}));
}

TEST(EvalTable, CollectivesAmongOneAreIdentities) {
  const std::string text = R"(
f { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] all-reduce(p), replica_groups={}, to_apply=f
  b = f32[4] all-gather(a), replica_groups={{0}}, dimensions={0}
  c = f32[4] reduce-scatter(b), replica_groups={{0}}, dimensions={0}, to_apply=f
  d = f32[4] collective-permute(c), source_target_pairs={{0,0}}
  s = (f32[4], f32[4]) all-gather-start(d), replica_groups={{0}}, dimensions={0}
  ROOT r = f32[4] all-gather-done(s)
})";
  expectEval(text, {"f32[4] {1,2,3,4}"}, {"f32[4] {1,2,3,4}"});
  EXPECT_EQ(
      errorKind(
          "p = f32[4] parameter(0)\nROOT r = f32[4] collective-permute(p), source_target_pairs={{0,1},{1,0}}",
          {"f32[4] {1,2,3,4}"}),
      "unsupported-opcode");
}

TEST(EvalTable, OneInstructionAlone) {
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e {\na = s32[2] parameter(0)\nb = s32[2] parameter(1)\nROOT r = s32[2] add(a, "
      "b)\n}\n");
  ASSERT_TRUE(module.has_value());
  const Literal a = literalOf("s32[2] {1,2}"), b = literalOf("s32[2] {3,4}"),
                wrong = literalOf("s32[3] {1,2,3}");
  const Instruction& add = *(*module)->entry()->root();
  const std::array<const Literal*, 2> good = {&a, &b}, bad = {&a, &wrong};
  EXPECT_TRUE(evaluateInstruction(add, good).value() == literalOf("s32[2] {4,6}"));
  EXPECT_EQ(evaluateInstruction(add, bad).error().kind, "malformed-instruction");
  EXPECT_EQ(evaluateInstruction(add, std::span(good).first(1)).error().kind, "malformed-instruction");
}

TEST(EvalTable, ObserverSeesEveryValueOfTheEntry) {
  std::vector<std::string> seen;
  EvalOptions options;
  options.observe = [&](const Instruction& instruction, const Literal& value) {
    seen.push_back(std::string(instruction.name()) + " " + literalText(value));
  };
  ASSERT_TRUE(
      evalText("a = s32[] parameter(0)\nb = s32[] negate(a)\nROOT c = s32[] add(a, b)", {"s32[] 3"}, options)
          .has_value());
  EXPECT_EQ(seen, (std::vector<std::string>{"a s32[] 3", "b s32[] -3", "c s32[] 0"}));
}

}  // namespace
}  // namespace hilo
