// What XLA's HloInstruction::HasSideEffect answers, by opcode and by what is called.
#include "core/hlo/ir/side_effects.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parse(const std::string& text) {
  auto parsed = parseModuleStrictly(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : toString(parsed.error()));
  return parsed ? *std::move(parsed) : nullptr;
}

// Of the root of an entry computation that has parameters a and t before it.
bool rootHasSideEffect(const std::string& root, const std::string& header = "") {
  const auto module = parse("HloModule m" + header +
                            "\n\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
                            "  ROOT s = f32[] add(x, y)\n}\n\nENTRY e {\n  a = f32[8] parameter(0)\n"
                            "  t = token[] parameter(1)\n  ROOT r = " +
                            root + "\n}\n");
  return module != nullptr && hasOwnSideEffect(*module->entry()->root());
}

TEST(SideEffects, ArithmeticHasNone) {
  EXPECT_FALSE(rootHasSideEffect("f32[8] negate(a)"));
  EXPECT_FALSE(rootHasSideEffect("f32[] reduce(a, a), dimensions={0}, to_apply=sum"));
  EXPECT_FALSE(rootHasSideEffect("token[] after-all(t)"));
}

TEST(SideEffects, InputOutputAndRandomStateHave) {
  EXPECT_TRUE(rootHasSideEffect("(f32[8], token[]) infeed(t)"));
  EXPECT_TRUE(rootHasSideEffect("token[] outfeed(a, t), outfeed_shape=f32[8]"));
  EXPECT_TRUE(rootHasSideEffect("u64[2] rng-get-and-update-state(), delta=1"));
  EXPECT_TRUE(rootHasSideEffect("f32[8] made-up-opcode(a)"));
}

TEST(SideEffects, ACollectivesChannelCountsOutsideSpmdOnly) {
  const std::string reduce = "f32[8] all-reduce(a), to_apply=sum, replica_groups={}";
  const std::string permute = "f32[8] collective-permute(a), source_target_pairs={{0,1}}";
  for (const std::string& collective : {reduce, permute}) {
    EXPECT_FALSE(rootHasSideEffect(collective)) << collective;
    EXPECT_TRUE(rootHasSideEffect(collective + ", channel_id=1")) << collective;
    EXPECT_TRUE(rootHasSideEffect(collective + ", channel_id=1", ", replica_count=2")) << collective;
    EXPECT_FALSE(rootHasSideEffect(collective + ", channel_id=1", ", num_partitions=2")) << collective;
  }
}

TEST(SideEffects, StepsOfAnAsynchronousOperationStayTogether) {
  for (const bool has : {true, false}) {
    const auto module = parse(std::string(R"(HloModule m
moved {
  x = f32[8] parameter(0)
  ROOT r = f32[8] collective-permute(x), source_target_pairs={{0,1}})") +
                              (has ? ", channel_id=1" : "") +
                              R"(
}
ENTRY e {
  a = f32[8] parameter(0)
  start = ((f32[8]), f32[8], u32[]) async-start(a), calls=moved
  update = ((f32[8]), f32[8], u32[]) async-update(start)
  done = f32[8] async-done(update)
  ROOT n = f32[8] negate(a)
})");
    ASSERT_NE(module, nullptr);
    for (const char* name : {"start", "update", "done"})
      EXPECT_EQ(hasSideEffect(*module->entry()->find(name)), has) << name;
    EXPECT_FALSE(hasSideEffect(*module->entry()->find("n")));
  }
}

TEST(SideEffects, AConstrainedLayoutCountsAlways) {
  EXPECT_TRUE(
      rootHasSideEffect("f32[8] all-reduce(a), to_apply=sum, constrain_layout=true", ", num_partitions=2"));
}

TEST(SideEffects, ACustomCallSaysItself) {
  EXPECT_FALSE(rootHasSideEffect("f32[8] custom-call(a), custom_call_target=\"f\""));
  EXPECT_TRUE(
      rootHasSideEffect("f32[8] custom-call(a), custom_call_target=\"f\", custom_call_has_side_effect=true"));
}

TEST(SideEffects, ACallHasThoseOfWhatItCallsHoweverDeep) {
  const auto module = parse(
      "HloModule m\n\nf0 {\n  x = f32[] parameter(0)\n  t = token[] after-all()\n"
      "  o = token[] outfeed(x, t), outfeed_shape=f32[]\n  ROOT n = f32[] negate(x)\n}\n\n"
      "f1 {\n  x = f32[] parameter(0)\n  ROOT c = f32[] call(x), to_apply=f0\n}\n\n"
      "pure {\n  x = f32[] parameter(0)\n  ROOT n = f32[] negate(x)\n}\n\n"
      "ENTRY e {\n  x = f32[] parameter(0)\n  p = f32[] call(x), to_apply=pure\n"
      "  ROOT c = f32[] call(p), to_apply=f1\n}\n");
  EXPECT_FALSE(hasOwnSideEffect(*module->entry()->root()));
  EXPECT_TRUE(hasSideEffect(*module->entry()->root()));
  EXPECT_FALSE(hasSideEffect(*module->findInstruction("p")));
  EXPECT_TRUE(hasSideEffect(*module->entry()));
  EXPECT_FALSE(hasSideEffect(*module->findComputation("pure")));
}

// Each computation calls the one before twice: 2^60 ways down, looked at once each.
TEST(SideEffects, SharedCallsAreLookedAtOnce) {
  std::string text = "HloModule m\n\nf0 {\n  ROOT x = f32[] parameter(0)\n}\n\n";
  for (int i = 1; i < 60; ++i) {
    text += fmt::format(
        "f{0} {{\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=f{1}\n"
        "  ROOT z = f32[] call(y), to_apply=f{1}\n}}\n\n",
        i, i - 1);
  }
  text += "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT z = f32[] call(x), to_apply=f59\n}\n";
  EXPECT_FALSE(hasSideEffect(*parse(text)->entry()));
}

}  // namespace
}  // namespace hilo
