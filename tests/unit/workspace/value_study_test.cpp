// The values of a module, of what it calls too, by the way from the entry.
#include "core/workspace/values/value_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;

// Doubles 1 until it is 2^5; the fusion negates and halves.
const std::string kText = R"(HloModule m
fused { x = f32[] parameter(0)
  h = f32[] constant(0.5)
  n = f32[] negate(x)
  ROOT r = f32[] multiply(n, h) }
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
)" + countingLoop("f32[]", 5, "w = f32[] add(v, v)") +
                          R"(
ENTRY e { zero = s32[] constant(0)
  start = f32[] constant(1)
  init = (s32[], f32[]) tuple(zero, start)
  l = (s32[], f32[]) while(init), condition=condition, body=body
  g = f32[] get-tuple-element(l), index=1
  f = f32[] fusion(g), kind=kLoop, calls=fused
  spread = f32[3] broadcast(f), dimensions={}
  ROOT total = f32[] reduce(spread, start), dimensions={0}, to_apply=add })";

class ValueStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    module = std::move(parseModule(kText).module);
    auto made = ValueStudy::make({.module = module}, {});
    ASSERT_TRUE(made) << made.error().message;
    study = std::move(*made);
  }
  auto reach(const char* computation, int64_t turn = 0) {
    return study->reach(module->findComputation(computation)->id(), turn, {});
  }
  double valueIn(const ReachedValues& reached, const char* name) const {
    const InstructionValue* value = reached.find(module->findInstruction(name)->id());
    EXPECT_NE(value, nullptr) << name;
    return value == nullptr ? 0 : value->devices[0].mean;
  }
  std::shared_ptr<const Module> module;
  std::shared_ptr<ValueStudy> study;
};

TEST_F(ValueStudyTest, whatWouldNotFitIsRefusedBeforeAnythingRuns) {
  const auto made = ValueStudy::make({.module = module, .worker = WorkerOptions{.memoryLimitBytes = 20}}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, "too-large") << toString(made.error());
  EXPECT_TRUE(ValueStudy::make({.module = module, .worker = WorkerOptions{.memoryLimitBytes = 100}}, {}));
}

TEST_F(ValueStudyTest, theEntryIsThereAtOnce) {
  EXPECT_TRUE(study->entry().path.empty());
  EXPECT_EQ(valueIn(study->entry(), "f"), -16);
  EXPECT_EQ(valueIn(study->entry(), "total"), -47);
  EXPECT_NE(study->known(*module->findInstruction("f")), nullptr);
  EXPECT_EQ(study->known(*module->findInstruction("n")), nullptr);
}

TEST_F(ValueStudyTest, fusionsAreGoneInto) {
  const auto reached = reach("fused");
  ASSERT_TRUE(reached) << reached.error().message;
  EXPECT_THAT((*reached)->path, ElementsAre("f"));
  EXPECT_EQ(valueIn(**reached, "n"), -32);
  const auto known = study->known(*module->findInstruction("n"));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->literals[0].data<float>()[0], -32);
}

TEST_F(ValueStudyTest, anyTurnOfALoop) {
  for (const int64_t turn : {0, 3}) {
    const auto reached = reach("body", turn);
    ASSERT_TRUE(reached) << reached.error().message;
    EXPECT_THAT((*reached)->path, ElementsAre("l (turn " + std::to_string(turn) + ")"));
    EXPECT_EQ(valueIn(**reached, "w"), turn == 0 ? 2 : 16);
  }
  EXPECT_EQ(reach("body", 5).error().kind, "no-such-turn");
  const auto condition = reach("condition", 2);
  ASSERT_TRUE(condition) << condition.error().message;
  EXPECT_EQ(valueIn(**condition, "goOn"), 1);
}

TEST_F(ValueStudyTest, whatIsAppliedToManyElementsHasNoOneValue) {
  EXPECT_EQ(reach("add").error().kind, "no-single-value");
}

}  // namespace
}  // namespace hilo
