// The life of one instruction through a series: which pass made it, changed it and removed it, a row each. It
// is told by the step whose module it is in, so that those that a step removes have a history like any other.
#pragma once

#include <QWidget>

#include "core/workspace/job_queue.h"
#include "core/workspace/passes/pass_series.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

class QLabel;

namespace hilo {

class HistoryPane : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryPane(JobQueue& jobs, QWidget* parent = nullptr);

  // Null shows nothing.
  void setSeries(std::shared_ptr<const PassSeries> series);
  // An instruction of the module after `step`; the rows come later.
  void follow(size_t step, const Instruction& instruction);

  QString title() const;
  const TableModel<HistoryEntry>& rows() const { return rows_; }
  TableView& table() { return *table_; }

 Q_SIGNALS:
  void rowsChanged();
  void activated(const hilo::HistoryEntry& entry);

 private:
  JobQueue& jobs_;
  JobScope scope_;
  std::shared_ptr<const PassSeries> series_;
  std::optional<std::pair<size_t, InstructionId>> followed_;
  QLabel* title_;
  TableView* table_;
  TableModel<HistoryEntry> rows_;
};

}  // namespace hilo
