// Changes that may lower the peak of the module that is shown, tried when asked for: what each gives, and the
// changed module to go on with. UI thread.
#pragma once

#include <QLabel>
#include <QPushButton>

#include "core/workspace/peak/peak_study.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class PeakChangesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PeakChangesPanel(const ViewContext& context, QWidget* parent = nullptr);
  // Not valid: nothing is shown.
  void setSubject(SnapshotId subject);
  // That the peak should stay below; 0: not said.
  void setLimit(int64_t bytes) { limitBytes_ = bytes; }
  // Does not wait for what it started.
  void tryChanges();

  QPushButton& tryButton() { return *try_; }
  QPushButton& openButton() { return *open_; }
  QString summary() const { return summary_->text(); }
  const TableModel<PeakTrial>& trials() const { return trials_; }
  TableView& table() { return *table_; }
  bool isTrying() const { return progress_->job().valid(); }

 Q_SIGNALS:
  // A value of the module that is shown.
  void instructionChosen(hilo::InstructionId id, bool activate);
  void counted(size_t changes);
  void opened();  // the changed module is current

 private:
  void show(std::shared_ptr<const PeakStudy> study);
  void clear(const QString& text);
  void choose(const QModelIndex& index);
  void openChanged();

  const ViewContext context_;
  JobScope scope_;
  SnapshotId subject_;
  int64_t limitBytes_ = 0;
  std::shared_ptr<const PeakStudy> study_;  // null: not tried yet
  QPushButton* try_;
  QPushButton* open_;
  JobProgress* progress_;
  QLabel* summary_;
  TableModel<PeakTrial> trials_;
  TableView* table_;
};

}  // namespace hilo
