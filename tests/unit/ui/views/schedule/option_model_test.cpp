#include "ui/views/schedule/option_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

namespace hilo {
namespace {

QModelIndex rowOf(const OptionModel& model, const std::string& name) {
  const auto at = std::ranges::find(model.options(), name, &ScheduleOption::name);
  return model.index(static_cast<int>(at - model.options().begin()), OptionModel::kValue);
}

TEST(OptionModel, KeepsTheRulesOfModels) {
  OptionModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setScenario({.preset = "gpu"});
  EXPECT_GT(model.rowCount(), 20);
  model.setScenario({.preset = "tpu"});
  model.setScenario({.preset = "gpu", .settings = {{"rerun", "3"}}});
}

TEST(OptionModel, AsksForValuesAndTakesNone) {
  OptionModel model;
  model.setScenario({.preset = "gpu"});
  QSignalSpy asked(&model, &OptionModel::valueAsked);
  EXPECT_TRUE(model.setData(rowOf(model, "rerun"), "4"));
  EXPECT_TRUE(model.setData(rowOf(model, "top_down_scheduling"), Qt::Checked, Qt::CheckStateRole));
  EXPECT_FALSE(model.setData(rowOf(model, "rerun"), "0"));  // as it is
  ASSERT_EQ(asked.count(), 2);
  EXPECT_EQ(asked.at(0), (QList<QVariant>{"rerun", "4"}));
  EXPECT_EQ(asked.at(1), (QList<QVariant>{"top_down_scheduling", "true"}));
  EXPECT_EQ(model.data(rowOf(model, "rerun")).toString(), "0");
  EXPECT_FALSE(model.data(rowOf(model, "rerun"), Qt::FontRole).value<QFont>().bold());
  model.setScenario({.preset = "gpu", .settings = {{"rerun", "4"}}});
  EXPECT_TRUE(model.data(rowOf(model, "rerun"), Qt::FontRole).value<QFont>().bold());
  EXPECT_TRUE(model.flags(rowOf(model, "rerun")) & Qt::ItemIsEditable);
  EXPECT_TRUE(model.flags(rowOf(model, "top_down_scheduling")) & Qt::ItemIsUserCheckable);
}

}  // namespace
}  // namespace hilo
