// Charts laid out by hand under XLA's uniform costs: a convolution takes 5000, an asynchronous operation
// 5000, all else that runs 1.
#include "core/analysis/schedule/schedule_chart.h"
#include "core/analysis/backend.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/uniform_latency.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kLoop = R"(HloModule m, is_scheduled=true
cond {
  cp = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(cp), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  bp = (s32[], f32[8]{0}) parameter(0)
  j = s32[] get-tuple-element(bp), index=0
  v = f32[8]{0} get-tuple-element(bp), index=1
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(v), source_target_pairs={{0,1}}
  d = f32[8]{0} collective-permute-done(s)
  one = s32[] constant(1)
  next = s32[] add(j, one)
  ROOT bt = (s32[], f32[8]{0}) tuple(next, d)
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[8]{0} parameter(0)
  t = (s32[], f32[8]{0}) tuple(zero, x)
  w = (s32[], f32[8]{0}) while(t), condition=cond, body=body
  g = f32[8]{0} get-tuple-element(w), index=1
  ROOT r = f32[8]{0} negate(g), frontend_attributes={_scheduling_group_id="7"}
}
)";

class ScheduleChartTest : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(kLoop);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    timeline_ = simulate(*module_, GpuUniformLatencyEstimator(), {});
    chart_ = makeScheduleChart(*module_, timeline_, nullptr, nullptr);
  }
  const ChartEvent& of(const char* name) const {
    return chart_.events[chart_.eventOf(module_->findInstruction(name)->id())];
  }
  std::unique_ptr<Module> module_;
  Timeline timeline_;
  ScheduleChart chart_;
};

TEST_F(ScheduleChartTest, ALoopTakesOneIterationOfTheTimeAxis) {
  const ChartEvent& loop = of("w");
  EXPECT_EQ(loop.kind, TimelineEventKind::Block);
  EXPECT_EQ(loop.repeat, 4);
  const double once = (timeline_.entry().events[0].endNs - timeline_.entry().events[0].startNs) / 4;
  EXPECT_GT(once, 5000);
  EXPECT_DOUBLE_EQ(loop.time.width(), once);
  EXPECT_DOUBLE_EQ(chart_.durationNs, timeline_.makespanNs() - 3 * once);
  // What comes after it has all iterations behind it.
  EXPECT_DOUBLE_EQ(chart_.elapsedNs(chart_.durationNs), timeline_.makespanNs());
  EXPECT_DOUBLE_EQ(chart_.elapsedNs(loop.time.begin + once / 2), loop.time.begin + once / 2);
}

TEST_F(ScheduleChartTest, EveryInstructionThatRunsHasASlotInProgramOrder) {
  // Six of the entry and eight of the body; the condition is not laid out.
  EXPECT_EQ(chart_.slotCount, 14);
  EXPECT_EQ(of("zero").slots.begin, 0);
  EXPECT_EQ(of("w").slots.begin, 3);
  EXPECT_EQ(of("bp").slots.begin, 3);
  EXPECT_EQ(of("w").slots.end, 12);
  EXPECT_EQ(of("r").slots.begin, 13);
  EXPECT_EQ(chart_.eventOf(module_->findInstruction("less")->id()), kNoEvent);
  EXPECT_EQ(chart_.depth, 1);
}

TEST_F(ScheduleChartTest, AStartReachesItsDoneAndTheDoneWaits) {
  const ChartEvent& span = of("s");
  EXPECT_EQ(span.kind, TimelineEventKind::Async);
  EXPECT_EQ(span.partner, module_->findInstruction("d")->id());
  EXPECT_EQ(span.slots.width(), 2);
  EXPECT_EQ(span.exposedNs, 5000);
  EXPECT_EQ(of("d").kind, TimelineEventKind::Wait);
  EXPECT_EQ(of("d").partner, module_->findInstruction("s")->id());
  ASSERT_EQ(chart_.lanes.size(), 2u);
  EXPECT_EQ(chart_.lanes[span.lane].kind, LaneKind::Collective);
  EXPECT_EQ(of("d").lane, 0);
}

TEST_F(ScheduleChartTest, TheLongestChainIsMarkedAndGroupsAreFound) {
  EXPECT_TRUE(of("s").critical);
  EXPECT_TRUE(of("d").critical);
  EXPECT_TRUE(of("r").critical);
  EXPECT_FALSE(of("next").critical);
  ASSERT_EQ(chart_.groups.size(), 1u);
  EXPECT_EQ(chart_.groups[0].name, "7");
  EXPECT_EQ(chart_.groups[0].members, 1u);
}

TEST(ScheduleChartLanes, WhatIsInFlightAroundALoopHidesNothingInIt) {
  std::string text = kLoop;
  text.replace(text.find("  zero = s32[]"), 0,
               "  y = f32[8]{0} parameter(1)\n"
               "  outer = (f32[8]{0}, f32[8]{0}) collective-permute-start(y), source_target_pairs={{0,1}}\n");
  text.replace(text.find("  ROOT r = f32[8]{0} negate(g)"), 0,
               "  landed = f32[8]{0} collective-permute-done(outer)\n");
  text.replace(text.find("negate(g)"), 9, "add(g, landed)");
  const auto module = parseModuleStrictly(text);
  ASSERT_TRUE(module) << toString(module.error());
  const ScheduleChart chart =
      makeScheduleChart(**module, simulate(**module, GpuUniformLatencyEstimator(), {}), nullptr, nullptr);
  const auto laneOf = [&](const char* name) {
    return chart.events[chart.eventOf((*module)->findInstruction(name)->id())].lane;
  };
  ASSERT_EQ(chart.lanes.size(), 3u);
  EXPECT_NE(laneOf("outer"), laneOf("s"));
  EXPECT_EQ(chart.lanes[laneOf("outer")], (TimelineLane{LaneKind::Collective, 1, ""}));
  EXPECT_EQ(chart.eventsOfLane[laneOf("outer")].size(), 1u);
}

// As in the graph: where most of a step is products of cuBLAS, they look like products.
TEST(ScheduleChartClasses, ALibrarysProductIsAContraction) {
  const auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8,8]{1,0} parameter(0)
  gemm = (f32[8,8]{1,0}, s8[64]{0}) custom-call(x, x), custom_call_target="__cublas$gemm"
  y = f32[8,8]{1,0} get-tuple-element(gemm), index=0
  ROOT other = f32[8,8]{1,0} custom-call(y), custom_call_target="mystery"
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  const ScheduleChart chart =
      makeScheduleChart(**module, simulate(**module, GpuUniformLatencyEstimator(), {}), nullptr, nullptr);
  const auto classOf = [&](const char* name) {
    return chart.events[chart.eventOf((*module)->findInstruction(name)->id())].opcodeClass;
  };
  EXPECT_EQ(classOf("gemm"), OpcodeClass::Contraction);
  EXPECT_EQ(classOf("other"), OpcodeClass::CustomCall);
}

TEST_F(ScheduleChartTest, ALoopThatWouldBeTooMuchStaysClosed) {
  const ScheduleChart small = makeScheduleChart(*module_, timeline_, nullptr, nullptr, 5);
  EXPECT_TRUE(small.cut);
  EXPECT_TRUE(small.events[small.blocks[0]].closed);
  EXPECT_EQ(small.eventOf(module_->findInstruction("s")->id()), kNoEvent);
  EXPECT_DOUBLE_EQ(small.durationNs, chart_.durationNs);
}

TEST_F(ScheduleChartTest, MemoryFollowsTheSequence) {
  const auto alias = AliasAnalysis::run(*module_, backendOf(*module_));
  ASSERT_TRUE(alias);
  const ValueLiveRanges ranges(*alias);
  const MemoryUsage memory = memoryUsage(ranges);
  const ScheduleChart chart = makeScheduleChart(*module_, timeline_, &ranges, &memory);
  ASSERT_EQ(chart.memory.size(), 14u);
  int64_t most = 0;
  for (const ChartMemory& each : chart.memory) most = std::max(most, each.bytes);
  EXPECT_EQ(chart.peakBytes, memory.peakBytes);
  EXPECT_LE(most, memory.peakBytes);
  EXPECT_TRUE(std::ranges::is_sorted(chart.memory, {}, &ChartMemory::slot));
}

}  // namespace
}  // namespace hilo
