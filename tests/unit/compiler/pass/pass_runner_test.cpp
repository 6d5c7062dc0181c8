#include "core/compiler/pass/pass_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kText[] = R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  ROOT sum = f32[2] add(x, x)
}
)";

Result<bool> negateRoot(Module& module, PassContext& context) {
  Computation& entry = *module.entry();
  Instruction* root = entry.root();
  context.remark(*root, "negated", "because the test says so");
  entry.setRoot(entry.create(Opcode::Negate, root->shape(), {root}));
  return true;
}
Result<bool> doNothing(Module&, PassContext&) { return false; }
Result<bool> breakShape(Module& module, PassContext&) {
  module.entry()->root()->setShape(Shape::array(ElementType::F32, {3}));
  return true;
}
Result<bool> refuse(Module&, PassContext&) { return fail("test-refusal", "not today"); }

const Pass kNegate{"negate", negateRoot, ""};
const Pass kNothing{"nothing", doNothing, ""};
const Pass kBreak{"break", breakShape, ""};
const Pass kRefuse{"refuse", refuse, ""};

std::shared_ptr<const Module> input() { return *parseModuleStrictly(kText); }

std::vector<PassOutcome> outcomes(const PassRun& run) {
  std::vector<PassOutcome> result;
  for (const PassStep& step : run.steps) result.push_back(step.outcome);
  return result;
}

const Module* lastSeen = nullptr;
Result<bool> look(Module& module, PassContext&) {
  lastSeen = &module;
  return false;
}
Result<bool> expectTheSame(Module& module, PassContext&) {
  EXPECT_EQ(&module, lastSeen);
  return false;
}
Result<bool> makeAndTakeAway(Module& module, PassContext&) {
  Computation& entry = *module.entry();
  entry.remove(entry.create(Opcode::Negate, entry.root()->shape(), {entry.root()}));
  return false;
}

// A clone for each would take longer than the passes.
TEST(PassRunner, RunsPassesThatChangeNothingOnOneClone) {
  const Pass kLook{"look", look, ""}, kExpectTheSame{"expect", expectTheSame, ""};
  EXPECT_TRUE(runPasses(input(), {&kLook, &kExpectTheSame, &kExpectTheSame}, {}).completed());
}

TEST(PassRunner, GivesNothingThatWasMadeAndTakenAwayToTheNextPass) {
  const Pass kMakeAndTakeAway{"make", makeAndTakeAway, ""};
  const PassRun once = runPasses(input(), {&kNegate}, {});
  const PassRun twice = runPasses(input(), {&kNothing, &kMakeAndTakeAway, &kNegate}, {});
  EXPECT_EQ(twice.output()->idLimit(), once.output()->idLimit());
  EXPECT_EQ(twice.output()->entry()->root()->name(), once.output()->entry()->root()->name());
}

TEST(PassRunner, KeepsASnapshotAStepAndLeavesTheInputAlone) {
  const auto module = input();
  const PassRun run = runPasses(module, {&kNegate, &kNothing, &kNegate}, {});
  EXPECT_TRUE(run.completed());
  EXPECT_THAT(outcomes(run), ElementsAre(PassOutcome::Changed, PassOutcome::Unchanged, PassOutcome::Changed));
  EXPECT_EQ(module->instructionCount(), 2u);
  EXPECT_EQ(run.steps[0].module->instructionCount(), 3u);
  EXPECT_EQ(run.steps[1].module, run.steps[0].module);
  EXPECT_EQ(run.output()->instructionCount(), 4u);
  ASSERT_EQ(run.steps[0].remarks.size(), 1u);
  EXPECT_EQ(run.steps[0].remarks[0].name, "sum");
}

TEST(PassRunner, RecordsWhichPassMadeWhat) {
  const PassRun run = runPasses(input(), {&kNegate, &kNegate}, {});
  const Module& output = *run.output();
  const Provenance* outer = output.provenance(output.entry()->root()->id());
  const Provenance* inner = output.provenance(output.entry()->root()->operand(0)->id());
  ASSERT_TRUE(outer != nullptr && inner != nullptr);
  EXPECT_EQ(outer->pass, 1u);
  EXPECT_EQ(inner->pass, 0u);
}

TEST(PassRunner, DisabledPassesAreSkippedAndSaidSo) {
  const PassRun run = runPasses(input(), {&kNegate, &kNothing}, {.disabled = {"negate"}});
  EXPECT_THAT(outcomes(run), ElementsAre(PassOutcome::Disabled, PassOutcome::Unchanged));
  EXPECT_TRUE(run.completed());
}

TEST(PassRunner, AModuleThatFailsVerificationEndsTheRun) {
  const auto module = input();
  const PassRun run = runPasses(module, {&kBreak, &kNegate}, {});
  EXPECT_THAT(outcomes(run), ElementsAre(PassOutcome::Failed));
  EXPECT_TRUE(hasErrors(run.steps[0].problems));
  EXPECT_EQ(run.output(), module);
  EXPECT_NE(run.steps[0].module, module) << "the broken module is kept for looking at";
}

TEST(PassRunner, APassThatRefusesEndsTheRun) {
  const PassRun run = runPasses(input(), {&kRefuse, &kNegate}, {});
  ASSERT_THAT(outcomes(run), ElementsAre(PassOutcome::Failed));
  EXPECT_EQ(run.steps[0].problems[0].kind, "test-refusal");
}

TEST(PassRunner, CancelStopsBeforeTheNextPass) {
  PassRunOptions options;
  options.progress = [&](size_t step, size_t count, std::string_view pass) {
    EXPECT_EQ(count, 2u);
    if (step == 1) {
      EXPECT_EQ(pass, "nothing");
      options.cancel.cancel();
    }
  };
  const PassRun run = runPasses(input(), {&kNegate, &kNothing}, options);
  EXPECT_THAT(outcomes(run), ElementsAre(PassOutcome::Changed, PassOutcome::Cancelled));
  EXPECT_FALSE(run.completed());
  EXPECT_EQ(run.output()->instructionCount(), 3u);
}

// A clock the pass itself moves on, in seconds.
int64_t slowNow = 0;
SlowWatch* slowWatch = nullptr;

Result<bool> takeAMinute(Module&, PassContext&) {
  for (int second = 0; second < 60; ++second) {
    slowNow += 1'000'000'000;
    slowWatch->look();
  }
  return false;
}

TEST(PassRunner, TellsOfSlowPassesByName) {
  const Pass kSlow{"slow", takeAMinute, ""};
  SlowWatch watch([] { return slowNow; }, 10'000'000'000);
  slowWatch = &watch;
  std::vector<std::string> told;
  runPasses(input(), {&kNothing, &kSlow},
            {.tellSlow = [&](const std::string& text) { told.push_back(text); }, .watch = &watch});
  EXPECT_THAT(told, ElementsAre("the pass slow of m has taken 10 s so far",
                                "the pass slow of m has taken 20 s so far",
                                "the pass slow of m has taken 40 s so far", "the pass slow of m took 60 s"));
}

}  // namespace
}  // namespace hilo
