#include "ui/views/schedule/order_moment.h"

#include "tests/unit/ui/views/schedule/chart_test_support.h"

namespace hilo {
namespace {

constexpr const char* kLoop = R"(HloModule l, is_scheduled=true
%fused (a: f32[1024,1024]) -> f32[1024,1024] {
  %a = f32[1024,1024] parameter(0)
  ROOT %inner = f32[1024,1024] exponential(%a)
}
%body (p: (s32[], f32[1024,1024])) -> (s32[], f32[1024,1024]) {
  %p = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %v = f32[1024,1024] get-tuple-element(%p), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %turned = f32[1024,1024] fusion(%v), kind=kLoop, calls=%fused
  ROOT %t = (s32[], f32[1024,1024]) tuple(%next, %turned)
}
%less (q: (s32[], f32[1024,1024])) -> pred[] {
  %q = (s32[], f32[1024,1024]) parameter(0)
  %j = s32[] get-tuple-element(%q), index=0
  %ten = s32[] constant(10)
  ROOT %on = pred[] compare(%j, %ten), direction=LT
}
ENTRY %e (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024] parameter(0)
  %zero = s32[] constant(0)
  %first = (s32[], f32[1024,1024]) tuple(%zero, %x)
  %loop = (s32[], f32[1024,1024]) while(%first), condition=%less, body=%body
  %last = f32[1024,1024] get-tuple-element(%loop), index=1
  ROOT %after = f32[1024,1024] negate(%last)
}
)";

std::string nameAt(const ShownOrder& order, ChartAxis axis, double at) {
  const auto moment = momentAt(order, axis, at);
  const Instruction* i = moment ? order.module().instruction(moment->instruction) : nullptr;
  return i == nullptr ? "" : std::string(i->name());
}

TEST(OrderMoment, APlaceIsAnInstructionAndBack) {
  const StudiedModule studied;
  const auto order = studied.run({.preset = "original"});
  for (const ChartAxis axis : {ChartAxis::Time, ChartAxis::Slots}) {
    for (const char* name : {"independent", "needs"}) {
      const ChartSpan span = order->chart().events[order->chart().eventOf(studied.id(name))].on(axis);
      const double at = span.begin + span.width() / 4;
      EXPECT_EQ(nameAt(*order, axis, at), name);
      EXPECT_NEAR(momentAt(*order, axis, at)->part, 0.25, 1e-9);
      EXPECT_NEAR(*placeOf(*order, axis, *momentAt(*order, axis, at)), at, 1e-6);
    }
  }
}

TEST(OrderMoment, WhereTheComputeLaneWaitsItIsAtTheDone) {
  const StudiedModule studied;
  const auto order = studied.run({.preset = "original"});
  const ScheduleChart& chart = order->chart();
  const auto wait = std::ranges::find(chart.events, TimelineEventKind::Wait, &ChartEvent::kind);
  ASSERT_NE(wait, chart.events.end()) << "nothing hides the gather";
  const double middle = (wait->time.begin + wait->time.end) / 2;
  EXPECT_EQ(nameAt(*order, ChartAxis::Time, middle), "done");
  EXPECT_NEAR(*placeOf(*order, ChartAxis::Time, {studied.id("done"), 0.5}), middle, 1e-6);
  const double start = chart.events[chart.eventOf(studied.id("start"))].time.begin;
  EXPECT_NEAR(*placeOf(*order, ChartAxis::Time, {studied.id("start"), 1}), start, 1e-6)
      << "the start itself takes no time, whatever it starts does";
}

TEST(OrderMoment, WhatRunsInsideALoopHasItsPlaceThereAndTheLoopItsEnd) {
  const StudiedModule studied(kLoop);
  const auto order = studied.run({.preset = "original"});
  const ScheduleChart& chart = order->chart();
  const ChartSpan turned = chart.events[chart.eventOf(studied.id("turned"))].time;
  const ChartSpan loop = chart.events[chart.eventOf(studied.id("loop"))].time;
  EXPECT_EQ(nameAt(*order, ChartAxis::Time, (turned.begin + turned.end) / 2), "turned");
  EXPECT_EQ(placeOf(*order, ChartAxis::Time, {studied.id("inner"), 0.5}), turned.begin)
      << "what is fused is where its fusion is";
  EXPECT_EQ(placeOf(*order, ChartAxis::Time, {studied.id("loop"), 0}), loop.end);
  EXPECT_EQ(placeOf(*order, ChartAxis::Time, {InstructionId{100'000}, 0}), std::nullopt);
  EXPECT_EQ(momentAt(*order, ChartAxis::Time, -1), std::nullopt);
}

}  // namespace
}  // namespace hilo
