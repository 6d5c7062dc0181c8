#include "ui/views/runs/run_history.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QMouseEvent>
#include <QSignalSpy>

#include "ui/views/runs/history_widget.h"

namespace hilo {
namespace {

RunRecord runOf(uint32_t id, uint64_t module, std::string engine, std::vector<int64_t> samples) {
  RunRecord run{.id = RunId{id}, .moduleName = "m", .moduleHash = module, .engine = std::move(engine)};
  run.timings.samplesNs = std::move(samples);
  return run;
}

// Newest first, as a store lists them.
std::vector<RunRecord> runs() {
  return {runOf(5, 1, "cpu", {90, 100, 110, 120, 130, 140, 150}), runOf(4, 1, "reference", {4000}),
          runOf(3, 2, "cpu", {7}), runOf(2, 1, "cpu", {}), runOf(1, 1, "cpu", {200})};
}

TEST(RunHistory, GroupsByEngineOldestFirst) {
  const auto histories = historiesOf(runs());
  ASSERT_EQ(histories.size(), 2u);
  const RunHistory& history = histories.at(1);
  EXPECT_EQ(history.places, 3u);  // the run without samples is none
  ASSERT_EQ(history.series.size(), 2u);
  EXPECT_EQ(history.series[0].name, "cpu");
  ASSERT_EQ(history.series[0].points.size(), 2u);
  const HistoryPoint& first = history.series[0].points[0];
  const HistoryPoint& last = history.series[0].points[1];
  EXPECT_EQ(first.run, RunId{1});
  EXPECT_EQ(first.place, 0u);
  EXPECT_EQ(first.lowNs, 200) << "one sample has no interval";
  EXPECT_EQ(last.run, RunId{5});
  EXPECT_EQ(last.place, 2u);
  EXPECT_EQ(last.medianNs, 120);
  // Of seven samples the interval is all of them: 2 / 2^7 is under 5%, 16 / 2^7 is not.
  EXPECT_EQ(last.lowNs, 90);
  EXPECT_EQ(last.highNs, 150);
  EXPECT_EQ(history.leastNs, 90);
  EXPECT_EQ(history.mostNs, 4000);
}

TEST(TimeScale, BeginsAtZeroUnlessValuesLieFarApart) {
  const TimeScale near(100, 400);
  EXPECT_FALSE(near.isLogarithmic());
  EXPECT_EQ(near.fraction(0), 0);
  EXPECT_NEAR(near.fraction(230), 0.5, 1e-9);  // of 460
  EXPECT_EQ(near.ticks(), (std::vector<int64_t>{0, 200, 400}));
  const TimeScale far(90, 4000);
  EXPECT_TRUE(far.isLogarithmic());
  EXPECT_EQ(far.ticks(), (std::vector<int64_t>{10, 100, 1000, 10000}));
  EXPECT_NEAR(far.fraction(100), 1.0 / 3, 1e-9);
}

TEST(HistoryWidget, AClickNamesTheRun) {
  HistoryWidget widget;
  widget.resize(500, 200);
  widget.setHistory(historiesOf(runs()).at(1));
  QSignalSpy clicked(&widget, &HistoryWidget::runClicked);
  const QPointF at = widget.pointOf(RunId{4});
  for (const QPointF where : {at + QPointF(3, 3), at + QPointF(0, 60)}) {
    QMouseEvent press(QEvent::MouseButtonPress, where, where, Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &press);
  }
  ASSERT_EQ(clicked.size(), 1) << "the second click is far from every point";
  EXPECT_EQ(clicked[0][0].value<RunId>(), RunId{4});
  // The oldest is left, the longest on top.
  EXPECT_LT(widget.pointOf(RunId{1}).x(), widget.pointOf(RunId{4}).x());
  EXPECT_LT(at.y(), widget.pointOf(RunId{5}).y());
}

}  // namespace
}  // namespace hilo
