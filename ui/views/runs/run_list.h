// The runs kept in the session's store, newest first, with a chart of those of one module: which are
// selected, comparing two of them, removing.
#pragma once

#include <QSplitter>
#include <map>

#include "core/workspace/run/runs.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/views/runs/history_widget.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class RunList : public QSplitter {
  Q_OBJECT

 public:
  explicit RunList(const ViewContext& context, QWidget* parent = nullptr);

  // Reads the store again; answered later.
  void refresh();
  std::vector<RunId> selectedRuns() const;
  void compareSelected();
  TableView& table() { return *table_; }
  const TableModel<RunRecord>& model() const { return model_; }
  HistoryWidget& history() { return *history_; }

 Q_SIGNALS:
  void selectionChanged();
  void said(const QString& text, bool isError);

 private:
  void buildTable();
  // Charts the module of the current row, else the one that is shown, else the newest run's.
  void showHistory();
  void selectRun(RunId run);
  // Reads the one selected run from the store, with the times of its thunks.
  void tellSelected();
  void removeSelected();

  const ViewContext context_;
  JobScope scope_;
  TableView* table_;
  HistoryWidget* history_;
  std::map<uint64_t, RunHistory> histories_;  // of the runs listed, by module
  TableModel<RunRecord> model_;
};

}  // namespace hilo
