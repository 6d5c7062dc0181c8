#include "core/compiler/pass/fuel.h"

#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr char kText[] = R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] negate(x)
  b = f32[2] negate(a)
  c = f32[2] negate(b)
  ROOT d = f32[2] negate(c)
}
)";

// Makes a tanh of each negate.
Result<bool> turnToTanh(Module& module, PassContext& context) {
  bool changed = false;
  for (Instruction* instruction : module.entry()->instructions()) {
    if (instruction->opcode() != Opcode::Negate || !context.mayChange(*instruction)) continue;
    instruction->become(Opcode::Tanh,
                        std::vector(instruction->operands().begin(), instruction->operands().end()));
    changed = true;
  }
  return changed;
}
Result<bool> renameModule(Module& module, PassContext&) {
  module.setName("renamed");
  return true;
}
const Pass kTurn{"turn", turnToTanh, ""};
const Pass kRename{"rename", renameModule, ""};

std::shared_ptr<const Module> input() { return *parseModuleStrictly(kText); }

TEST(Fuel, EndsAtTheRewriteAndNamesTheNext) {
  const PassRun run = runPasses(input(), {&kTurn}, {.fuel = {{"turn", 2}}});
  const PassStep& step = run.steps[0];
  EXPECT_EQ(step.rewrites, 2);
  ASSERT_TRUE(step.refused);
  EXPECT_EQ(step.refused->name, "c");
  EXPECT_EQ(step.module->findInstruction("b")->opcode(), Opcode::Tanh);
  EXPECT_EQ(step.module->findInstruction("c")->opcode(), Opcode::Negate);
}

TEST(Fuel, OfZeroLeavesTheModuleAsItIs) {
  const PassRun run = runPasses(input(), {&kTurn}, {.fuel = {{"turn", 0}}});
  EXPECT_EQ(run.steps[0].outcome, PassOutcome::Unchanged);
  EXPECT_EQ(run.steps[0].refused->name, "a");
}

TEST(Fuel, IsSharedByAllRunsOfAPass) {
  const PassRun run = runPasses(input(), {&kTurn, &kTurn}, {.fuel = {{"turn", 6}}});
  EXPECT_EQ(run.steps[0].rewrites, 4);
  EXPECT_EQ(run.steps[1].rewrites, 0);
  const PassRun little = runPasses(input(), {&kTurn, &kTurn}, {.fuel = {{"turn", 3}}});
  EXPECT_EQ(little.steps[0].rewrites + little.steps[1].rewrites, 3);
}

TEST(Fuel, WithoutALimitIsCounted) {
  const PassRun run = runPasses(input(), {&kTurn}, {});
  EXPECT_EQ(run.steps[0].rewrites, 4);
  EXPECT_FALSE(run.steps[0].refused);
  EXPECT_FALSE(run.steps[0].asksNoFuel());
}

TEST(Fuel, OfAPassThatDoesNotAskIsTold) {
  const PassRun run = runPasses(input(), {&kRename}, {.fuel = {{"rename", 0}}});
  EXPECT_EQ(run.steps[0].outcome, PassOutcome::Changed);
  EXPECT_TRUE(run.steps[0].asksNoFuel());
}

}  // namespace
}  // namespace hilo
