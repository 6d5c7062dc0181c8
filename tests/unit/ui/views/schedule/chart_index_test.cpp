// Events found by place agree with a look at all of them.
#include "ui/views/schedule/chart_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/views/schedule/chart_rows.h"

namespace hilo {
namespace {

ScheduleChart randomChart(uint32_t seed) {
  std::mt19937 random(seed);
  ScheduleChart chart;
  chart.lanes.resize(2);
  chart.eventsOfLane.resize(2);
  double at = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    const double wide = random() % 7, gap = random() % 3;
    ChartEvent event{.instruction = InstructionId{i}, .lane = static_cast<uint16_t>(random() % 2)};
    // Now and then a long one, that later ones lie on.
    event.time = {at, at + (random() % 20 == 0 ? 60 : wide)};
    event.slots = {static_cast<double>(i), i + 1.0};
    chart.eventsOfLane[event.lane].push_back(i);
    chart.events.push_back(event);
    at += wide + gap;
  }
  chart.durationNs = at;
  return chart;
}

TEST(ChartIndex, FindsWhatTouchesAStretch) {
  for (uint32_t seed = 1; seed < 20; ++seed) {
    const ScheduleChart chart = randomChart(seed);
    const ChartIndex index(chart);
    for (double begin = -5; begin < chart.durationNs; begin += 13) {
      std::vector<uint32_t> expected, found;
      for (const uint32_t e : chart.eventsOfLane[0]) {
        if (chart.events[e].time.end >= begin && chart.events[e].time.begin <= begin + 9)
          expected.push_back(e);
      }
      index.lane(0).visit(ChartAxis::Time, begin, begin + 9, [&](uint32_t e) {
        if (chart.events[e].time.end >= begin) found.push_back(e);
      });
      EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected)) << "seed " << seed << " at " << begin;
    }
  }
}

TEST(ChartIndex, PicksWhatIsUnderThePointerAndWalksTheLane) {
  const StudiedModule studied;
  const auto order = studied.run({.preset = "original"});
  const ScheduleChart& chart = order->chart();
  const ChartEvent& needs = chart.events[chart.eventOf(studied.id("needs"))];
  const double middle = (needs.time.begin + needs.time.end) / 2;
  EXPECT_EQ(order->index.eventAt(order->index.lane(0), chart, ChartAxis::Time, middle, 1),
            chart.eventOf(studied.id("needs")));
  EXPECT_EQ(order->index.eventAt(order->index.lane(1), chart, ChartAxis::Time, middle, 1), kNoEvent);
  const uint32_t before =
      order->index.neighbour(chart, chart.eventOf(studied.id("needs")), ChartAxis::Time, -1);
  EXPECT_EQ(chart.events[before].instruction, studied.id("independent"));
  const uint32_t last =
      order->index.neighbour(chart, chart.eventOf(studied.id("needs")), ChartAxis::Time, +1);
  EXPECT_EQ(last, chart.eventOf(studied.id("needs")));
}

TEST(ChartRows, FillTheRoomWithoutOverlap) {
  const StudiedModule studied;
  const auto order = studied.run({.preset = "original"});
  for (const double room : {50.0, 300.0, 900.0}) {
    const auto rows = chartRows(order->chart(), true, 30, room);
    ASSERT_EQ(rows.size(), 4u);  // title, compute, collectives, memory
    EXPECT_EQ(rows[1].label, "compute");
    EXPECT_EQ(rows[2].label, "collectives");
    EXPECT_EQ(rows[3].kind, ChartRowKind::Memory);
    for (size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i].top, rows[i - 1].bottom());
    if (room >= 300) EXPECT_LE(rows.back().bottom(), 30 + room + 1);
    EXPECT_EQ(rowAt(rows, rows[2].top + 1), &rows[2]);
    EXPECT_EQ(rowAt(rows, 5), nullptr);
  }
}

}  // namespace
}  // namespace hilo
