#include "ui/models/table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace hilo {
namespace {

struct Fruit {
  QString name;
  int weight = 0;
};

std::vector<TableColumn<Fruit>> columns() {
  return {{"name", [](const Fruit& f) { return f.name; }},
          {"weight", [](const Fruit& f) { return QString::number(f.weight) + " g"; },
           [](const Fruit& f) { return static_cast<double>(f.weight); }}};
}

TEST(TableModel, SortsByNumberNotByText) {
  TableModel<Fruit> model(columns());
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows({{"b", 100}, {"a", 9}, {"c", 20}});
  model.sort(1, Qt::AscendingOrder);
  EXPECT_EQ(model.rows()[0].name, "a");
  EXPECT_EQ(model.rows()[1].name, "c");
  model.sort(1, Qt::DescendingOrder);
  EXPECT_EQ(model.rows()[0].name, "b");
  EXPECT_EQ(model.index(0, 1).data(), "100 g");
}

TEST(TableModel, SelectionFollowsItsRowThroughSorting) {
  TableModel<Fruit> model(columns());
  model.setRows({{"b", 2}, {"a", 1}, {"c", 3}});
  const QPersistentModelIndex b(model.index(0, 0));
  model.sort(0, Qt::AscendingOrder);
  EXPECT_EQ(b.row(), 1);
  EXPECT_EQ(b.data(), "b");
}

TEST(TableModel, NewRowsKeepTheSorting) {
  TableModel<Fruit> model(columns());
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.sort(0, Qt::AscendingOrder);
  model.setRows({{"b", 2}, {"a", 1}});
  EXPECT_EQ(model.rows()[0].name, "a");
  model.setRows({{"d", 2}, {"c", 1}});
  EXPECT_EQ(model.rows()[0].name, "c");
  model.setRows({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace hilo
