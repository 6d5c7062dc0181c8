// Orders that keep few bytes live, against peaks counted by hand.
#include "core/compiler/schedule/memory_scheduler.h"
#include "core/analysis/schedule/memory_usage.h"
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

// Two branches that each make 4000 bytes and keep 40 of them.
std::unique_ptr<Module> branches() {
  return scheduledModule(R"(HloModule m
ENTRY e {
  p = f32[10]{0} parameter(0)
  w0 = f32[100,10]{1,0} broadcast(p), dimensions={1}
  w1 = f32[100,10]{1,0} broadcast(p), dimensions={1}
  b0 = f32[1000]{0} reshape(w0)
  b1 = f32[1000]{0} reshape(w1)
  y0 = f32[10]{0} slice(b0), slice={[0:10]}
  y1 = f32[10]{0} slice(b1), slice={[0:10]}
  ROOT r = f32[10]{0} add(y0, y1)
}
)");
}

TEST(MemoryScheduler, FinishesOneBranchBeforeTheNext) {
  const auto module = branches();
  const auto result = scheduleForMemory(*module, MemorySchedulerKind::List);
  ASSERT_TRUE(result);
  EXPECT_TRUE(module->isScheduled());
  expectValidOrders(*module);
  const bool firstIsWhole = positionOf(*module, "y0") < positionOf(*module, "w1");
  const bool secondIsWhole = positionOf(*module, "y1") < positionOf(*module, "w0");
  EXPECT_TRUE(firstIsWhole || secondIsWhole);
  // The parameter, one broadcast and the reshape that copies it, and the slice of the other branch.
  EXPECT_EQ(result->peakBytes, 40 + 4000 + 4000 + 40);
}

TEST(MemoryScheduler, TheBestIsNoWorseThanAny) {
  int64_t peaks[4];
  for (int kind = 0; kind < 4; ++kind) {
    const auto module = branches();
    const auto result = scheduleForMemory(*module, static_cast<MemorySchedulerKind>(kind));
    ASSERT_TRUE(result);
    peaks[kind] = result->peakBytes;
  }
  EXPECT_EQ(peaks[3], std::min({peaks[0], peaks[1], peaks[2]}));
}

TEST(MemoryScheduler, ControlPredecessorsComeFirst) {
  const auto module = scheduledModule(R"(HloModule m
ENTRY e {
  p = f32[10]{0} parameter(0)
  a = f32[10]{0} negate(p)
  b = f32[10]{0} sine(p)
  c = f32[10]{0} cosine(p), control-predecessors={b}
  d = f32[10]{0} add(a, c), control-predecessors={b}
  ROOT t = (f32[10]{0}, f32[10]{0}) tuple(b, d)
}
)");
  for (const auto kind :
       {MemorySchedulerKind::List, MemorySchedulerKind::DepthFirst, MemorySchedulerKind::PostOrder}) {
    ASSERT_TRUE(scheduleForMemory(*module, kind));
    expectOrder(*module, {"b", "c", "d"});
    expectValidOrders(*module);
  }
}

TEST(MemoryUsage, CountsALoopsBodyWhereItRuns) {
  // The body makes 400 bytes besides the 40 the loop carries.
  const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
cond {
  p = (s32[], f32[10]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[10]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[10]{0} get-tuple-element(p), index=1
  w = f32[10,10]{1,0} broadcast(x), dimensions={1}
  b = f32[100]{0} reshape(w)
  y = f32[10]{0} slice(b), slice={[0:10]}
  ROOT t = (s32[], f32[10]{0}) tuple(j, y)
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[10]{0} parameter(0)
  t = (s32[], f32[10]{0}) tuple(zero, x)
  w = (s32[], f32[10]{0}) while(t), condition=cond, body=body
  ROOT r = f32[10]{0} get-tuple-element(w), index=1
}
)");
  ASSERT_NE(module, nullptr);
  const auto alias = AliasAnalysis::run(*module);
  ASSERT_TRUE(alias);
  const MemoryUsage usage = memoryUsage(ValueLiveRanges(*alias));
  EXPECT_GE(usage.peakBytes, 400 + 400);
  EXPECT_EQ(usage.peakBytes, *std::ranges::max_element(usage.liveBytes));
}

}  // namespace
}  // namespace hilo
