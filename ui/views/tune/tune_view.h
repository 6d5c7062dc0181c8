// Finds out how instructions of the current module are best compiled here, by trying: what `hilo tune` does.
// What was found can be applied, as a module beside the one that is shown.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>

#include "ui/views/tune/tune_rows.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class TuneView : public View {
  Q_OBJECT

 public:
  explicit TuneView(const ViewContext& context, QWidget* parent = nullptr);

  // Tries what the form says; answered later.
  void tune();
  // The module with the best ways said in it becomes current.
  void apply();
  TableView& table() { return *table_; }
  const TableModel<TuneRow>& rows() const { return model_; }
  QComboBox& what() { return *what_; }
  QCheckBox& passes() { return *passes_; }
  QSpinBox& repeat() { return *repeat_; }
  QPushButton& tuneButton() { return *tune_; }
  QPushButton& applyButton() { return *apply_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  QString message() const { return message_->text(); }
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString pictureOptions() const override { return model_.rowCount() > 0 ? "--run" : QString(); }

 private:
  QLayout* buildForm();
  void buildTable();
  void followSelection();
  void refresh();
  void enableButtons();
  TuneRequest requestOf(const Snapshot& snapshot) const;
  void show(TuneReport report, SnapshotId of);
  void sayWhyNot(const Diagnostic& why);

  JobScope scope_;
  SnapshotId tuned_;                          // what report_ is of
  std::shared_ptr<const TuneReport> report_;  // null: nothing was tuned
  TableModel<TuneRow> model_;
  QComboBox* what_;
  QCheckBox* passes_;
  QCheckBox* again_;
  QSpinBox* repeat_;
  QPushButton* tune_;
  QPushButton* apply_;
  JobProgress* progress_;
  MessageLine* message_;
  TableView* table_;
};

}  // namespace hilo
