// What each move makes of a small module, as text.
#include "core/workspace/reduce/moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::Not;

const Move& moveNamed(std::string_view name) { return *std::ranges::find(allMoves(), name, &Move::name); }

struct Moved {
  bool applied = false;
  bool isSound = false;
  std::string text;
  Draft draft;
};

// Makes the move at the sites that `takes` chooses.
Moved moved(const Module& module, std::string_view name, const std::function<bool(const MoveSite&)>& takes) {
  Moved made;
  made.draft.module = module.clone();
  made.draft.arguments = makeArguments(module, 3)->arguments;
  const EntryValues values(module.clone(), made.draft.arguments, {});
  made.draft.values = &values;
  std::vector<MoveSite> sites;
  for (const MoveSite& site : moveNamed(name).sites(module)) {
    if (takes(site)) sites.push_back(site);
  }
  made.applied = moveNamed(name).apply(made.draft, sites);
  tidy(made.draft);
  made.draft.values = nullptr;
  made.isSound = !hasErrors(verify(*made.draft.module, VerifyOptions{}));
  made.text = printModule(*made.draft.module);
  return made;
}
Moved movedAt(const Module& module, std::string_view name, std::string_view instruction, int64_t part = 0) {
  const InstructionId id = module.findInstruction(instruction)->id();
  return moved(module, name, [&](const MoveSite& s) { return s.instruction == id && s.part == part; });
}

Literal resultOf(const Draft& draft) { return *evaluate(*draft.module, draft.arguments); }

TEST(Moves, OutlineKeepsOneStretch) {
  std::string text = "ENTRY e {\n  n0 = f32[2] parameter(0)\n";
  for (int i = 1; i < 32; ++i)
    text +=
        fmt::format("  {}n{} = f32[2] {}(n{})\n", i == 31 ? "ROOT " : "", i, i % 2 ? "negate" : "abs", i - 1);
  const auto module = moduleOf(text + "}");
  const Moved made = movedAt(*module, "outline", "n10", 3);
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, HasSubstr("%n12 "));
  EXPECT_THAT(made.text, Not(HasSubstr("%n9 ")));
  EXPECT_THAT(made.text, Not(HasSubstr("%n13 ")));
  const auto same = moduleOf("ENTRY e { a = f32[2] parameter(0)\n ROOT r = f32[2] abs(a) }");
  const Literal first = makeArguments(*module, 3)->arguments[0];
  EXPECT_TRUE(resultOf(made.draft) == *evaluate(*same, std::vector{first}));
}

TEST(Moves, SplitCallsGivesOneCallACopyThatEndsEarlier) {
  const auto module = moduleOf(R"(f {
  x = f32[2] parameter(0)
  m = f32[2] multiply(x, x)
  ROOT n = f32[2] negate(m) }
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] call(a), to_apply=f
  c = f32[2] call(b), to_apply=f
  ROOT s = f32[2] add(b, c) })");
  const Moved made = movedAt(*module, "split-calls", "c");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  const Module& after = *made.draft.module;
  const Computation* kept = after.findInstruction("b")->calledComputations()[0];
  const Computation* own = after.findInstruction("c")->calledComputations()[0];
  EXPECT_NE(kept, own);
  EXPECT_EQ(kept->root()->opcode(), Opcode::Negate);
  EXPECT_EQ(own->root()->opcode(), Opcode::Multiply);
  EXPECT_FALSE(movedAt(after, "split-calls", "c").applied);
}

TEST(Moves, LeaveOutHandsInTheValueThatAnInstructionHad) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0)
  n = f32[2] negate(a)
  ROOT s = f32[2] add(n, n) })");
  const Literal before = *evaluate(*module, makeArguments(*module, 3)->arguments);
  const Moved made = movedAt(*module, "leave-out", "n");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, Not(HasSubstr("negate")));
  EXPECT_EQ(made.draft.arguments.size(), 2u);
  EXPECT_EQ(resultOf(made.draft), before);
}

TEST(Moves, LeaveOutOfTheRootMakesItsOperandsResults) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0)
  n = f32[2] negate(a)
  t = f32[2] tanh(a)
  ROOT s = f32[2] add(n, t) })");
  const Moved made = movedAt(*module, "leave-out", "s");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, HasSubstr("tuple(%n, %t)"));
}

TEST(Moves, CutOutputsLeavesTheOneResultAlone) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0)
  n = f32[2] negate(a)
  t = f32[2] tanh(a)
  ROOT r = (f32[2], f32[2]) tuple(n, t) })");
  const Moved made = movedAt(*module, "cut-outputs", "n");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_EQ(made.draft.module->entry()->root()->name(), "t");
}

TEST(Moves, BypassTakesAnOperandOfTheSameShape) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0)
  n = f32[2] negate(a)
  ROOT t = f32[2] tanh(n) })");
  const Moved made = movedAt(*module, "bypass", "n");
  ASSERT_TRUE(made.applied && made.isSound);
  EXPECT_THAT(made.text, HasSubstr("tanh(%a)"));
}

constexpr char kCalls[] = R"(
double { x = f32[2] parameter(0)
  ROOT d = f32[2] add(x, x) }
half { y = f32[2] parameter(0)
  ROOT h = f32[2] negate(y) }
ENTRY e {
  a = f32[2] parameter(0)
  p = pred[] parameter(1)
  f = f32[2] fusion(a), kind=kLoop, calls=double
  ROOT c = f32[2] conditional(p, f, f), true_computation=half, false_computation=half })";

TEST(Moves, InlinePutsWhatAFusionCallsInItsPlace) {
  const Moved made = movedAt(*moduleOf(kCalls), "inline", "f");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, Not(HasSubstr("fusion(")));
}

TEST(Moves, UnwrapTakesABranch) {
  const Moved made = movedAt(*moduleOf(kCalls), "unwrap", "c", 1);
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, HasSubstr("call(%f), to_apply=%half"));
}

TEST(Moves, EnterRunsWhatABranchRanOnItsOperand) {
  const auto module = moduleOf(kCalls);
  const Literal before = *evaluate(*module, makeArguments(*module, 3)->arguments);
  const Moved made = movedAt(*module, "enter", "c", 0);
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_EQ(made.draft.module->entry()->name(), "half");
  EXPECT_EQ(resultOf(made.draft), before);
}

const std::string kLoop = countingLoop("f32[4]", 12, "w = f32[4] negate(v)") + R"(
ENTRY e {
  zero = s32[] constant(0)
  x = f32[4] parameter(0)
  init = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  i.end = s32[] get-tuple-element(loop), index=0
  v.end = f32[4] get-tuple-element(loop), index=1
  ROOT r = (s32[], f32[4]) tuple(i.end, v.end) })";

TEST(Moves, TripCountsEndsALoopEarly) {
  const Moved made = movedAt(*moduleOf(kLoop), "trip-counts", "loop", 2);
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_EQ(resultOf(made.draft).elements()[0].data<int32_t>()[0], 2);
}

TEST(Moves, DropLoopStateCarriesOneValueFewer) {
  const Moved made = movedAt(*moduleOf(kLoop), "drop-loop-state", "loop", 1);
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, HasSubstr("(s32[]) while("));
  const Literal result = resultOf(made.draft);
  EXPECT_EQ(result.elements()[0].data<int32_t>()[0], 12);
  EXPECT_EQ(result.elements()[1].data<float>()[0], 0);
}

TEST(Moves, ReplaceByConstantWritesTheValueDown) {
  const auto module = moduleOf(R"(ENTRY e {
  a = s32[2] constant({3, 4})
  n = s32[2] negate(a)
  ROOT t = s32[2] multiply(n, n) })");
  const Moved made = movedAt(*module, "replace-by-constant", "n");
  ASSERT_TRUE(made.applied && made.isSound);
  EXPECT_THAT(made.text, HasSubstr("constant({-3, -4})"));
}

TEST(Moves, ShrinkDimensionsFollowsASizeThroughReshapes) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[8,6] parameter(0)
  c = f32[8,6] broadcast(a), dimensions={0,1}
  f = f32[48] reshape(c)
  ROOT s = f32[24] slice(f), slice={[0:24]} })");
  const Moved made =
      moved(*module, "shrink-dimensions", [](const MoveSite& s) { return s.part == 8 && s.to == 1; });
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, HasSubstr("f32[1,6]"));
  EXPECT_THAT(made.text, HasSubstr("slice={[0:3]}"));
  EXPECT_EQ(made.draft.arguments[0].shape().elementCount(), 6);
}

TEST(Moves, RemoveParametersKeepsTheArgumentsOfTheOthers) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0)
  b = f32[3] parameter(1)
  ROOT n = f32[3] negate(b) })");
  const Moved made = moved(*module, "remove-parameters", [](const MoveSite&) { return true; });
  ASSERT_TRUE(made.applied && made.isSound);
  ASSERT_EQ(made.draft.arguments.size(), 1u);
  EXPECT_EQ(made.draft.arguments[0].shape().elementCount(), 3);
  EXPECT_THAT(made.text, HasSubstr("ENTRY %e (b: f32[3])"));
}

TEST(Moves, DropAttributesTakesMetadataAndShardings) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[2] parameter(0), sharding={replicated}
  ROOT n = f32[2] negate(a), metadata={op_name="jit(f)/neg"} })");
  const Moved made = moved(*module, "drop-attributes", [](const MoveSite&) { return true; });
  ASSERT_TRUE(made.applied && made.isSound);
  EXPECT_THAT(made.text, Not(testing::AnyOf(HasSubstr("metadata"), HasSubstr("sharding"))));
}

TEST(Moves, SplitParametersHandsInTheElements) {
  const auto module = moduleOf(R"(ENTRY e {
  t = (s32[], f32[2]) parameter(0)
  x = f32[2] get-tuple-element(t), index=1
  ROOT n = f32[2] negate(x) })");
  const Literal before = *evaluate(*module, makeArguments(*module, 3)->arguments);
  const Moved made = movedAt(*module, "split-parameters", "t");
  ASSERT_TRUE(made.applied && made.isSound) << made.text;
  EXPECT_THAT(made.text, Not(HasSubstr("get-tuple-element")));
  EXPECT_EQ(resultOf(made.draft), before);
}

TEST(Moves, EachHasATest) { EXPECT_EQ(allMoves().size(), 15u) << "a move was added: it wants a test above"; }

}  // namespace
}  // namespace hilo
