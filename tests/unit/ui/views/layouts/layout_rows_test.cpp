// The tables of the layouts view as models.
#include "ui/views/layouts/layout_rows.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace hilo {
namespace {

LayoutRow rowOf(const char* name, int64_t bytes, double ns) {
  LayoutRow row;
  row.move.name = name;
  row.move.bytes = bytes;
  row.move.isAlone = true;
  row.move.given = {.kind = LayoutWishKind::EntryParameter, .name = "p"};
  row.move.wanted = {.kind = LayoutWishKind::EntryResult, .operand = 1};
  row.ns = ns;
  return row;
}

TEST(LayoutRows, MovesSayWhoGivesAndWhoWants) {
  TableModel<LayoutRow> model(layoutMoveColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  LayoutRow looped = rowOf("a", 1024, 2000);
  looped.times = 3;
  LayoutRow free = rowOf("b", 0, 0);
  free.move.kind = LayoutMoveKind::SameBytes;
  model.setRows({looped, free, rowOf("c", 2048, 500)});
  EXPECT_EQ(model.index(0, 1).data().toString(), "2.00 µs");
  EXPECT_EQ(model.index(0, 2).data().toString(), "1.00 KiB × 3");
  EXPECT_EQ(model.index(0, 3).data().toString(), "entry parameter, p");
  EXPECT_EQ(model.index(0, 4).data().toString(), "entry result 1");
  EXPECT_EQ(model.index(1, 1).data().toString(), "free");
  model.sort(2, Qt::DescendingOrder);
  EXPECT_EQ(model.index(0, 0).data().toString(), "a");  // three times one is more than two
  model.sort(1, Qt::AscendingOrder);
  EXPECT_EQ(model.index(0, 0).data().toString(), "b");
}

TEST(LayoutRows, PaddingSorts) {
  TableModel<PaddedArray> model(paddedColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(
      {{.name = "x", .bytes = 4096, .wastedBytes = 10}, {.name = "y", .bytes = 64, .wastedBytes = 20}});
  model.sort(1, Qt::DescendingOrder);
  EXPECT_EQ(model.index(0, 0).data().toString(), "y");
}

}  // namespace
}  // namespace hilo
