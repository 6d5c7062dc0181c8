// Infeeds and outfeeds: what the cpu engine takes from a host and gives to it, and in which order, is what
// the evaluator does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/eval/devices.h"
#include "core/runtime/program/program_file.h"
#include "tests/support/module_text.h"
#include "tests/unit/hlo/eval/eval_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using Outputs = Result<std::vector<Literal>>;

Outputs evaluated(const Module& module, DeviceGrid grid, const std::vector<InfeedValues>& infeeds) {
  EvalOptions options;
  options.infeeds = infeeds;
  const std::vector<std::vector<Literal>> none(1);
  return evaluateOnDevices(module, grid, none, options);
}

// The program through its file.
Outputs onCpu(std::shared_ptr<const Module> module, DeviceGrid grid, const std::vector<InfeedValues>& infeeds,
              bool passes) {
  TRY(CompiledModule compiled,
      compileProgram(std::move(module), {.usesCache = false, .runsPasses = passes}, {}));
  TRY(Program program, deserialize(serialize(compiled.program)));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(program))));
  const std::vector<std::vector<Literal>> none(1);
  return executor->runOnDevices(grid, none, {.infeeds = infeeds});
}

// Gives what all give, or the error.
Outputs expectSame(const std::string& text, const std::vector<InfeedValues>& infeeds, DeviceGrid grid = {}) {
  SCOPED_TRACE(text);
  const auto module = moduleWithReducers(text);
  const Outputs expected = evaluated(*module, grid, infeeds);
  for (const bool passes : {false, true}) {
    const Outputs got = onCpu(module, grid, infeeds, passes);
    EXPECT_EQ(got.has_value(), expected.has_value())
        << toString(got.has_value() ? expected.error() : got.error());
    if (!expected || !got) {
      EXPECT_EQ(got.error().kind, expected.error().kind);
      EXPECT_EQ(got.error().message, expected.error().message);
      EXPECT_EQ(got.error().notes, expected.error().notes);
      continue;
    }
    for (size_t d = 0; d < expected->size(); ++d)
      EXPECT_TRUE((*got)[d] == (*expected)[d])
          << literalText((*got)[d]) << " " << literalText((*expected)[d]);
  }
  return expected;
}

// Each turn takes an array in another order of dimensions, and gives the sum so far.
const std::string kLoop = countingLoop("f32[2,3]", 3, R"(before = token[] after-all()
  in = (f32[2,3]{0,1}, token[]) infeed(before)
  x = f32[2,3]{0,1} get-tuple-element(in), index=0
  after = token[] get-tuple-element(in), index=1
  w = f32[2,3] add(v, x)
  given = f32[2,3]{0,1} copy(w)
  o = token[] outfeed(given, after), outfeed_shape=f32[2,3]{0,1})") +
                          R"(ENTRY e { zero = s32[] constant(0)
  z = f32[] constant(0)
  zeros = f32[2,3] broadcast(z), dimensions={}
  start = (s32[], f32[2,3]) tuple(zero, zeros)
  loop = (s32[], f32[2,3]) while(start), condition=condition, body=body
  ROOT r = f32[2,3] get-tuple-element(loop), index=1 })";
const Literal kSix = literalOf("f32[2,3] {{1,2,3},{4,5,6}}");

TEST(CpuHostFeed, EachTurnOfALoopTakesAndGives) {
  const auto outputs = expectSame(kLoop, {{.values = {kSix, kSix, kSix}}});
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  EXPECT_TRUE((*outputs)[0].elements()[0] == literalOf("f32[2,3] {{3,6,9},{12,15,18}}"));
  ASSERT_EQ((*outputs)[0].elements()[1].elements().size(), 3u);
  EXPECT_TRUE((*outputs)[0].elements()[1].elements()[0] == kSix);
}

TEST(CpuHostFeed, NothingLeftEndsTheRun) {
  const auto two = expectSame(kLoop, {{.values = {kSix, kSix}}});
  ASSERT_FALSE(two.has_value());
  EXPECT_EQ(two.error().kind, "infeed-empty");
  EXPECT_EQ(two.error().message, "in: nothing is left for it to take, of 2 values for infeeds");
  EXPECT_THAT(two.error().notes[0], HasSubstr("--infeed"));
  EXPECT_EQ(expectSame(kLoop, {}).error().kind, "infeed-empty");
  const auto other = expectSame(kLoop, {{.values = {literalOf("f32[3] {1,2,3}")}}});
  EXPECT_EQ(other.error().kind, "wrong-argument");
}

Literal numbered(std::string_view number) {
  return Literal::tuple(
      {literalOf(number), Literal::tuple({literalOf("pred[2] {1,0}"), literalOf("bf16[3] {1,2,3}")})});
}

// Tuples, nothing in a tuple, and orders that only tokens state.
TEST(CpuHostFeed, TokensOrderWhatIsTaken) {
  const auto outputs = expectSame(R"(t = token[] after-all()
  a = ((s32[], (pred[2], bf16[3])), token[]) infeed(t)
  t1 = token[] get-tuple-element(a), index=1
  b = ((s32[], (pred[2], bf16[3])), token[]) infeed(t1)
  t2 = token[] get-tuple-element(b), index=1
  c = ((), token[]) infeed(t2)
  t3 = token[] get-tuple-element(c), index=1
  v = (s32[], (pred[2], bf16[3])) get-tuple-element(b), index=0
  o1 = token[] outfeed(v, t3), outfeed_shape=(s32[], (pred[2], bf16[3]))
  u = (s32[], (pred[2], bf16[3])) get-tuple-element(a), index=0
  ROOT o2 = token[] outfeed(u, o1), outfeed_shape=(s32[], (pred[2], bf16[3])))",
                                  {{.values = {numbered("s32[] 1"), numbered("s32[] 2"), Literal()}}});
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  const auto given = (*outputs)[0].elements()[1].elements();
  ASSERT_EQ(given.size(), 2u);
  EXPECT_TRUE(given[0].elements()[0] == literalOf("s32[] 2"));
  EXPECT_TRUE(given[1].elements()[0] == literalOf("s32[] 1"));
}

TEST(CpuHostFeed, EachDeviceHasItsOwn) {
  std::vector<InfeedValues> infeeds;
  for (int device = 0; device < 4; ++device) {
    infeeds.push_back({.values = {Literal::scalar<int32_t>(ElementType::S32, device),
                                  Literal::scalar<int32_t>(ElementType::S32, 10 * device)},
                       .repeats = device % 2 == 0});
  }
  const auto outputs = expectSame(R"(t = token[] after-all()
  a = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(a), index=0
  t1 = token[] get-tuple-element(a), index=1
  s = s32[] all-reduce(x), replica_groups={}, to_apply=add
  o = token[] outfeed(s, t1), outfeed_shape=s32[]
  b = (s32[], token[]) infeed(o)
  ROOT y = s32[] get-tuple-element(b), index=0)",
                                  infeeds, {4, 1});
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  EXPECT_EQ((*outputs)[3].elements()[0].data<int32_t>()[0], 30);
  EXPECT_EQ((*outputs)[3].elements()[1].elements()[0].data<int32_t>()[0], 6);
  infeeds.resize(3);
  EXPECT_EQ(expectSame("ROOT c = s32[] constant(1)", infeeds, {4, 1}).error().kind, "wrong-argument");
}

// A branch that is never taken is gone, and what it would have given with it.
TEST(CpuHostFeed, NothingIsGivenWhereTheOutfeedIsNotReached) {
  const auto outputs = expectSame(R"(
yes { x = s32[] parameter(0)
  t = token[] after-all()
  o = token[] outfeed(x, t), outfeed_shape=s32[]
  ROOT c = s32[] copy(x) }
no { ROOT x = s32[] parameter(0) }
ENTRY e { f = pred[] constant(false)
  x = s32[] constant(3)
  ROOT r = s32[] conditional(f, x, x), true_computation=yes, false_computation=no })",
                                  {});
  ASSERT_TRUE(outputs.has_value()) << toString(outputs.error());
  EXPECT_EQ((*outputs)[0].shape().tupleShapes().size(), 2u);
}

TEST(CpuHostFeed, SizesThatVaryAreRefusedByName) {
  const auto module = moduleWithReducers("t = token[] after-all()\nROOT a = (s32[<=4], token[]) infeed(t)");
  const Diagnostics reasons = whyNotCompiled(*module);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].kind, "unsupported-dynamic-shape");
  EXPECT_EQ(reasons[0].place.instruction, "a");
}

TEST(CpuHostFeed, AProgramFromOutsideMustBeInOrder) {
  CompiledModule compiled = *compileProgram(moduleWithReducers(kLoop), {.usesCache = false}, {});
  EXPECT_THAT(toText(compiled.program), HasSubstr("in infeed shape=f32[2,3]{0,1}"));
  EXPECT_THAT(toJson(compiled.program), HasSubstr("\"kind\": \"outfeed\""));
  const auto change = [&](auto&& of) {
    Program program = compiled.program;
    for (ThunkSequence& sequence : program.sequences) {
      for (Thunk& thunk : sequence) of(program, thunk);
    }
    return checkProgram(program).has_value();
  };
  EXPECT_TRUE(change([](Program&, Thunk&) {}));
  EXPECT_FALSE(change([](Program& program, Thunk&) { program.givesOutfeed = false; }));
  EXPECT_FALSE(change([](Program&, Thunk& thunk) {
    if (auto* infeed = std::get_if<InfeedThunk>(&thunk.body)) infeed->results.clear();
  }));
  EXPECT_FALSE(change([](Program&, Thunk& thunk) {
    if (auto* outfeed = std::get_if<OutfeedThunk>(&thunk.body))
      outfeed->shape = Shape::array(ElementType::F64, {2, 3});
  }));
}

}  // namespace
}  // namespace hilo
