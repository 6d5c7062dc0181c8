// The scheduler's settings as a table whose values are edited in place. What was set by hand is bold.
#pragma once

#include <QAbstractTableModel>

#include "core/workspace/schedule/schedule.h"

namespace hilo {

class OptionModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kValue, kSummary, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  // The settings under a scenario; rows stay, values change.
  void setScenario(const ScheduleScenario& scenario);
  const std::vector<ScheduleOption>& options() const { return options_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  // The user wants another value; it is not taken yet.
  void valueAsked(const QString& name, const QString& value);

 private:
  bool isSet(const ScheduleOption& option) const;
  std::vector<ScheduleOption> options_;
  ScheduleScenario scenario_;
};

}  // namespace hilo
