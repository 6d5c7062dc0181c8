// Runs kept in the session's store, newest first, and a line to start one over the current module.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>

#include "core/workspace/run/runs.h"
#include "core/workspace/store/store.h"
#include "ui/models/table_model.h"
#include "ui/views/runs/history_widget.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/run_question.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class RunsView : public View {
  Q_OBJECT

 public:
  explicit RunsView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::ElidedConstants;
  }
  // Runs the current module with what the form says; asks first where that is estimated to take much.
  void run();
  void compareSelected();
  // The line below the form.
  void say(const QString& text, bool isError = false);
  TableView& table() { return *table_; }
  // With its flags: "cpu:fast-math".
  QString engine() const;
  QToolButton& flagsButton() { return *flags_; }
  QSpinBox& repeat() { return *repeat_; }
  QLineEdit& arguments() { return *arguments_; }
  const TableModel<RunRecord>& model() const { return model_; }
  HistoryWidget& history() { return *history_; }
  QSpinBox& timeLimit() { return *timeLimit_; }
  QDoubleSpinBox& memoryLimit() { return *memoryLimit_; }
  QToolButton& limitsButton() { return *limits_; }
  QComboBox& against() { return *against_; }
  QPushButton& runButton() { return *runButton_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  QPushButton& nonfiniteButton() { return *nonfiniteButton_; }
  RunQuestion& question() { return *question_; }
  QString message() const { return message_->text(); }

  bool hasContent() const override {
    return View::hasContent() || context_.session.shownCompiled() != nullptr;
  }
  // Runs the module, for a comparison twice or with --query once beside that engine; not where a window would
  // ask first, unless --run says so.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  // "hilo run ...".
  QString commandLine(ShownState state) const override;

 private:
  QLayout* buildForm();
  void buildEngines();
  void buildArguments();
  void buildLimits();
  void buildButtons();
  QLayout* buildMessage();
  void buildTable();
  void refresh();
  // Of the chosen engine, none chosen.
  void fillFlags();
  void sayFlags();
  // On the button that folds them.
  void sayLimits();
  QStringList chosenFlags() const;
  // Charts the module of the current row, else the one that is shown, else the newest run's.
  void showHistory();
  void selectRun(RunId run);
  // Reads the one selected run from the store, with the times of its thunks.
  void tellSelected();
  void removeSelected();
  // Of the module or the saved program that is shown; nullopt where there is none.
  std::optional<RunRequest> requestOfShown() const;
  // What can be chosen for it, and what its arguments are called, in the field's tip.
  void followShown();
  // Engines and modules a run may be compared with.
  void fillAgainst();
  std::function<Result<RunRequest>()> otherSide(const RunRequest& first) const;
  void start(const RunRequest& request);
  void noteDone(std::vector<RunRecord> records, const ValueRequest& asked);
  void noteFailed(const Diagnostic& why);
  std::vector<RunId> selectedRuns() const;

  JobScope scope_;
  QComboBox* engine_;
  QToolButton* flags_;  // a menu of what the engine can be told
  QLineEdit* arguments_;
  QSpinBox* repeat_;
  QToolButton* limits_;  // folds the two
  QSpinBox* timeLimit_;
  QDoubleSpinBox* memoryLimit_;  // GB
  QLineEdit* label_;
  QComboBox* against_;
  std::vector<std::pair<std::string, SeriesStep>> others_;  // the modules of the last entries of against_
  QPushButton* runButton_;
  JobProgress* progress_;
  RunQuestion* question_;
  QPushButton* nonfiniteButton_;
  QPushButton* compareButton_;
  MessageLine* message_;
  TableView* table_;
  HistoryWidget* history_;
  std::map<uint64_t, RunHistory> histories_;  // of the runs listed, by module
  TableModel<RunRecord> model_;
};

}  // namespace hilo
