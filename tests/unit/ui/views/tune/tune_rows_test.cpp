#include "ui/views/tune/tune_rows.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace hilo {
namespace {

TriedConfig triedIn(const char* config, std::vector<int64_t> samples, const Timings& of) {
  TriedConfig tried{.config = config};
  tried.timings.samplesNs = std::move(samples);
  tried.ratio = pairedRatio(of, tried.timings);
  return tried;
}

// Two dots tuned now, and one that was tuned before.
TuneReport reportOfThree() {
  const Timings base{.samplesNs = {400, 400, 400, 400, 400, 400}};
  TunedInstruction now{.backend = "product", .instructions = {"dot.1", "dot.2"}, .opcode = "dot"};
  now.tried = {triedIn("default", base.samplesNs, base),
               triedIn("tiles", {200, 200, 160, 250, 200, 200}, base),
               {.config = "library", .timings = {}, .remark = "the code of default"}};
  now.best = "tiles";
  now.defaultNs = 400;
  now.bestNs = 200;
  TunedInstruction before{.backend = "llvm-kernel", .instructions = {"add.3"}, .opcode = "add"};
  before.best = "optimize_for_size";
  before.defaultNs = 30;
  before.bestNs = 20;
  before.reused = true;
  TuneReport report;
  report.tuned = {now, before};
  return report;
}

QString textAt(const TableModel<TuneRow>& model, int row, int column) {
  return model.data(model.index(row, column)).toString();
}

TEST(TuneRows, EachWayIsARowWithItsSpeedUp) {
  TableModel<TuneRow> model(tuneColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(tuneRowsOf(reportOfThree()));
  ASSERT_EQ(model.rowCount(), 4);
  EXPECT_EQ(textAt(model, 0, 0), "dot.1 and 1 more");
  EXPECT_EQ(textAt(model, 0, 5), "1.00");
  EXPECT_EQ(textAt(model, 1, 2), "product: tiles");
  EXPECT_EQ(textAt(model, 1, 3), "200 ns");
  EXPECT_EQ(textAt(model, 1, 4), "160 ns to 250 ns");
  EXPECT_EQ(textAt(model, 1, 5), "2.00 (1.60 to 2.50)");
  EXPECT_EQ(textAt(model, 1, 6), "chosen");
  EXPECT_EQ(textAt(model, 2, 3), "") << "it was not run";
  EXPECT_EQ(textAt(model, 2, 6), "the code of default");
}

TEST(TuneRows, WhatWasFoundBeforeSaysSo) {
  TableModel<TuneRow> model(tuneColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(tuneRowsOf(reportOfThree()));
  EXPECT_EQ(textAt(model, 3, 0), "add.3");
  EXPECT_EQ(textAt(model, 3, 5), "1.50") << "how sure that is was not kept";
  EXPECT_EQ(textAt(model, 3, 6), "chosen, found before");
  // By speed-up, the largest first.
  model.sort(5, Qt::DescendingOrder);
  EXPECT_EQ(textAt(model, 0, 2), "product: tiles");
  EXPECT_EQ(textAt(model, 1, 0), "add.3");
}

}  // namespace
}  // namespace hilo
