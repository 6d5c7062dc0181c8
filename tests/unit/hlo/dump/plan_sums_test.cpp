// Sums over plans as written: what traces hold at once, bytes by kind.
#include "core/hlo/dump/plan_sums.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Values 0, 1, ... of the given sizes, and a trace in words: "a0" allocates value 0, "f0" frees it, "s10"
// lets 1 share with 0.
BufferAssignment planOf(std::initializer_list<int64_t> sizes, std::string_view events) {
  BufferAssignment plan;
  for (const int64_t size : sizes)
    plan.buffers.push_back({.id = static_cast<int64_t>(plan.buffers.size()), .sizeBytes = size});
  if (events.empty()) return plan;
  HeapTrace& trace = plan.heapTraces.emplace_back();
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i] == ' ') continue;
    HeapEvent event{.bufferId = events[i + 1] - '0'};
    event.kind = events[i] == 'a'   ? HeapEvent::Kind::Alloc
                 : events[i] == 'f' ? HeapEvent::Kind::Free
                                    : HeapEvent::Kind::ShareWith;
    if (events[i] == 's') event.sharedWithBufferId = events[i++ + 2] - '0';
    ++i;
    trace.events.push_back(event);
  }
  return plan;
}

TEST(PeakBytes, OfTraces) {
  EXPECT_EQ(peakBytes({}), PeakBytes{});
  EXPECT_EQ(peakBytes(planOf({42, 23}, "")).padded, 0);
  EXPECT_EQ(peakBytes(planOf({10}, "a0 f0")).padded, 10);
  EXPECT_EQ(peakBytes(planOf({10, 20, 30}, "a0 a1 a2 f0 f2 f1")).padded, 60);
  EXPECT_EQ(peakBytes(planOf({10, 20, 30}, "a0 a1 f0 f1 a2")).padded, 30);
}

TEST(PeakBytes, ValuesThatShareAreHeldUntilTheLastIsFreed) {
  EXPECT_EQ(peakBytes(planOf({10, 10}, "a0 s10 f1")).padded, 10);
  // Value 0 is still there when 1 is allocated anew.
  EXPECT_EQ(peakBytes(planOf({10, 10}, "a0 s10 f1 a1 f1")).padded, 20);
  const auto chain = [](const char* events) {
    return peakBytes(planOf({10, 10, 10, 300, 4000}, events)).padded;
  };
  EXPECT_EQ(chain("s10 s21 f2 a3 f3"), 310);
  EXPECT_EQ(chain("s10 s21 f2 a3 f3 f1 a4 f4"), 4000);
  EXPECT_EQ(chain("s10 s21 f1 a3"), 310);
  EXPECT_EQ(chain("s10 s21 f1 a3 f3 f0 a4"), 4000);
  EXPECT_EQ(peakBytes(planOf({10, 10, 200}, "s10")).padded, 10);
  EXPECT_EQ(peakBytes(planOf({10, 10, 200}, "s10 f1 a2 f2")).padded, 200);
}

BufferAllocation holding(std::initializer_list<int64_t> ids) {
  BufferAllocation allocation;
  for (const int64_t id : ids) allocation.assigned.push_back({.bufferId = id});
  return allocation;
}

TEST(PeakBytes, WhatStaysIsCountedOnceAndByItsLargest) {
  BufferAssignment plan = planOf({1024}, "");
  const auto with = [&](bool parameter, bool local, bool constant, bool out) {
    BufferAllocation a = holding({0});
    a.isEntryParameter = parameter, a.isThreadLocal = local, a.isConstant = constant, a.maybeLiveOut = out;
    plan.allocations = {a};
    return peakBytes(plan).padded;
  };
  EXPECT_EQ(with(false, false, false, false), 0);
  EXPECT_EQ(with(false, true, false, false), 0);
  EXPECT_EQ(with(false, false, true, false), 1024);
  EXPECT_EQ(with(true, false, false, false), 1024);
  EXPECT_EQ(with(false, false, false, true), 1024);
  EXPECT_EQ(with(true, true, false, true), 0);
  // One that does not exist among several.
  BufferAssignment several = planOf({1, 22, 333, 4444, 55555}, "");
  several.allocations = {holding({0, 1, 2, 23})};
  several.allocations[0].isEntryParameter = true;
  EXPECT_EQ(peakBytes(several).padded, 333);
  const auto parameter = [](std::initializer_list<int64_t> sizes, std::string_view events) {
    BufferAssignment p = planOf(sizes, events);
    p.allocations = {holding({0})};
    p.allocations[0].isEntryParameter = true;
    return peakBytes(p).padded;
  };
  EXPECT_EQ(parameter({1024, 1024}, "s10"), 1024);
  EXPECT_EQ(parameter({1024}, "a0"), 1024);
  EXPECT_EQ(parameter({123, 321}, "a1"), 123 + 321);
  EXPECT_EQ(parameter({int64_t{1} << 33}, ""), int64_t{1} << 33);
}

TEST(PeakBytes, UnpaddedIsWhatTheElementsTake) {
  auto module = parseModuleStrictly(R"(HloModule m
ENTRY e { p = u8[36] parameter(0) t = (u8[20], u8[36]) custom-call(p), custom_call_target="t" ROOT g = u8[20] get-tuple-element(t), index=0 })");
  ASSERT_TRUE(module);
  BufferAssignment plan = planOf({64, 20, 99}, "a0 a1 f0 f1");
  plan.buffers[0].instruction = "p";
  plan.buffers[1].instruction = "t";
  plan.buffers[1].shapeIndex = {0};
  plan.buffers[2].instruction = "missing";
  EXPECT_EQ(unpaddedBytes(plan, **module), (std::vector<int64_t>{36, 20, -1}));
  EXPECT_EQ(peakBytes(plan, module->get()), (PeakBytes{84, 56}));
}

BufferAllocation sized(int64_t bytes, int64_t color) { return {.sizeBytes = bytes, .color = color}; }

TEST(AllocatedBytes, OfOneMemorySpace) {
  BufferAssignment plan;
  EXPECT_EQ(allocatedBytes(plan, 0), 0);
  plan.allocations = {sized(10, 1), sized(20, 2)};
  EXPECT_EQ(allocatedBytes(plan, 0), 0);
  plan.allocations = {sized(10, 0), sized(20, 0)};
  EXPECT_EQ(allocatedBytes(plan, 0), 30);
  plan.allocations = {sized(10, 0), sized(20, 1), sized(30, 0)};
  EXPECT_EQ(allocatedBytes(plan, 0), 40);
  plan.allocations = {sized(int64_t{1} << 33, 0), sized(int64_t{1} << 33, 0)};
  EXPECT_EQ(allocatedBytes(plan, 0), int64_t{1} << 34);
}

TEST(IndefiniteBytes, OfWhatIsThereAsLongAsTheProgram) {
  BufferAssignment plan;
  EXPECT_EQ(indefiniteBytes(plan, 0), 0);
  plan.allocations = {sized(10, 0)};
  EXPECT_EQ(indefiniteBytes(plan, 0), 0);
  for (const auto fact : {&BufferAllocation::isThreadLocal, &BufferAllocation::isEntryParameter,
                          &BufferAllocation::isConstant, &BufferAllocation::maybeLiveOut}) {
    plan.allocations = {sized(10, 0)};
    plan.allocations[0].*fact = true;
    EXPECT_EQ(indefiniteBytes(plan, 0), 10);
    EXPECT_EQ(indefiniteBytes(plan, 1), 0);
  }
  plan.allocations = {sized(10, 0)};
  plan.allocations[0].isThreadLocal = plan.allocations[0].isEntryParameter = plan.allocations[0].isConstant =
      plan.allocations[0].maybeLiveOut = true;
  EXPECT_EQ(indefiniteBytes(plan, 0), 10);
  plan.allocations = {sized(10, 0), sized(20, 0), sized(30, 1), sized(40, 0), sized(500, 0)};
  plan.allocations[0].isThreadLocal = plan.allocations[1].isEntryParameter = plan.allocations[2].isConstant =
      plan.allocations[3].maybeLiveOut = true;
  EXPECT_EQ(indefiniteBytes(plan, 0), 70);
  EXPECT_EQ(indefiniteBytes(plan, 1), 30);
}

}  // namespace
}  // namespace hilo
