// What the latency-hiding scheduler puts between starts and dones. The cost model is XLA's: a convolution
// costs 5000, as much as an asynchronous operation takes.
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

constexpr const char* kTwoGathers = R"(HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8,256]{1,0} parameter(0)
  p = f32[16,64,256]{2,1,0} parameter(1)
  q = f32[16,64,256]{2,1,0} parameter(2)
  s0 = (f32[8,256]{1,0}, f32[16,256]{1,0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
  d0 = f32[16,256]{1,0} all-gather-done(s0)
  n = f32[16,256]{1,0} negate(d0)
  s1 = (f32[16,256]{1,0}, f32[32,256]{1,0}) all-gather-start(n), replica_groups={{0,1}}, dimensions={0}
  d1 = f32[32,256]{1,0} all-gather-done(s1)
  c0 = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, dim_labels=0fb_0io->0fb
  c1 = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, dim_labels=0fb_0io->0fb
  ROOT t = (f32[32,256]{1,0}, f32[16,256,256]{2,1,0}, f32[16,256,256]{2,1,0}) tuple(d1, c0, c1)
}
)";

TEST(Overlap, EachOfTwoChainedGathersGetsOneConvolution) {
  const auto module = scheduledModule(kTwoGathers);
  LatencyHidingRequest request;
  request.config.aggressiveSchedulingPolicies = true;
  scheduleAndCheck(*module, request);
  const auto between = [&](std::string_view name, std::string_view start, std::string_view done) {
    const int at = positionOf(*module, name);
    return positionOf(*module, start) < at && at < positionOf(*module, done);
  };
  EXPECT_EQ(between("c0", "s0", "d0") + between("c1", "s0", "d0"), 1);
  EXPECT_EQ(between("c0", "s1", "d1") + between("c1", "s1", "d1"), 1);
}

TEST(Overlap, TheReasonForTakingADoneFirstIsLogged) {
  const auto module = scheduledModule(kTwoGathers);
  const LatencyHidingResult result = scheduleAndCheck(*module);
  ASSERT_EQ(result.logs.size(), 1u);
  const DecisionLog& log = result.logs[0];
  EXPECT_EQ(log.steps.size(), module->entry()->instructionCount());
  const InstructionId done = module->findInstruction("d1")->id();
  const auto decided = std::ranges::find_if(log.decisions, [&](const SchedulingDecision& decision) {
    return decision.winner == done && decision.reason == SchedulingReason::ScheduleDone;
  });
  EXPECT_NE(decided, log.decisions.end());
}

constexpr const char* kLoopOfPermutes = R"(HloModule m, is_scheduled=true
cond {
  p = (f32[8]{0}, f32[8]{0}, pred[]) parameter(0)
  ROOT c = pred[] get-tuple-element(p), index=2
}
body {
  p = (f32[8]{0}, f32[8]{0}, pred[]) parameter(0)
  a = f32[8]{0} get-tuple-element(p), index=0
  b = f32[8]{0} get-tuple-element(p), index=1
  c = pred[] get-tuple-element(p), index=2
  bs = (f32[8]{0}, f32[8]{0}) collective-permute-start(a), source_target_pairs={{0,1},{1,0}}
  bd = f32[8]{0} collective-permute-done(bs)
  ROOT t = (f32[8]{0}, f32[8]{0}, pred[]) tuple(bd, b, c)
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  y = f32[8]{0} parameter(1)
  c = pred[] parameter(2)
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  t = (f32[8]{0}, f32[8]{0}, pred[]) tuple(y, y, c)
  w = (f32[8]{0}, f32[8]{0}, pred[]) while(t), condition=cond, body=body
  v = f32[8]{0} get-tuple-element(w), index=0
  d = f32[8]{0} collective-permute-done(s)
  ROOT r = f32[8]{0} add(v, d)
}
)";

TEST(Overlap, ALoopCountsWithWhatItsBodyHasInFlight) {
  for (const int64_t limit : {1, 2}) {
    const auto module = scheduledModule(kLoopOfPermutes);
    LatencyHidingRequest request;
    request.config.collectivePermuteOverlapLimit = limit;
    scheduleAndCheck(*module, request);
    const int start = positionOf(*module, "s"), done = positionOf(*module, "d"),
              loop = positionOf(*module, "w");
    const bool around = start < loop && loop < done;
    EXPECT_EQ(around, limit == 2) << "limit " << limit;
  }
}

TEST(Overlap, AnOrderIsNeededToStartFrom) {
  const auto module = scheduledModule("HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n");
  const auto result = scheduleToHideLatency(*module, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, "not-scheduled");
}

TEST(Overlap, WhatWritesOverTheOperandStaysOutOfTheWindow) {
  // The all-reduce works in place on a: b, which reads a, may not be between start and done.
  const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
ENTRY e {
  p = f32[64]{0} parameter(0)
  a = f32[64]{0} negate(p)
  b = f32[64]{0} exponential(a)
  s = f32[64]{0} all-reduce-start(a), replica_groups={}, to_apply=add
  d = f32[64]{0} all-reduce-done(s)
  ROOT t = (f32[64]{0}, f32[64]{0}) tuple(b, d)
}
)");
  scheduleAndCheck(*module);
  expectOrder(*module, {"a", "b", "s", "d"});
}

TEST(Overlap, APreferenceDecidesBeforeTheRules) {
  for (const bool flipped : {false, true}) {
    const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8]{0} parameter(0)
  s = (f32[8]{0}, f32[16]{0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
  d = f32[16]{0} all-gather-done(s)
  a = f32[8]{0} sine(x)
  b = f32[8]{0} cosine(x)
  ROOT t = (f32[16]{0}, f32[8]{0}, f32[8]{0}) tuple(d, a, b)
}
)");
    LatencyHidingRequest request;
    request.entryPreferences = {0, 0, 0, flipped ? 1.0 : 2.0, flipped ? 2.0 : 1.0, 0};
    scheduleAndCheck(*module, request);
    // Taken first from the root up is later in the program.
    EXPECT_EQ(positionOf(*module, "a") > positionOf(*module, "b"), !flipped);
  }
}

}  // namespace
}  // namespace hilo
