// What each instruction computes, by an engine on given arguments: a table of the computation that is
// selected, and of one instruction the figures, a histogram and the elements themselves. Nothing runs until
// it is asked for: before, the table has the instructions and no values. The first NaN and the first
// instruction at which two engines part are looked for from here. Follows the selection.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>

#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/nonfinite_origin.h"
#include "core/workspace/values/value_study.h"
#include "ui/views/values/value_details.h"
#include "ui/views/values/value_rows.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/run_question.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class ValuesView : public View {
  Q_OBJECT

 public:
  explicit ValuesView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::ElidedConstants;
  }
  // Works out the values of the current module with what the form says.
  void ask();
  void findNonfinite();
  // What a button asks for, after a question where it is estimated to take much on these engines.
  void whenAgreed(const QStringList& engines, std::function<void()> go);
  // The instruction at which `engine` diverges from `truth`; with the form's arguments where none are given.
  void findDivergence(const QString& truth, const QString& engine,
                      std::optional<ArgumentSource> arguments = {});

  TableView& table() { return *table_; }
  const TableModel<ValueRow>& rows() const { return model_; }
  ValueDetails& details() { return *details_; }
  QPushButton& askButton() { return *ask_; }
  QPushButton& nonfiniteButton() { return *nonfinite_; }
  QPushButton& divergenceButton() { return *divergence_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  RunQuestion& question() { return *question_; }
  QComboBox& engine() { return *engine_; }
  QSpinBox& turn() { return *turn_; }
  QString message() const { return message_->text(); }

  void take(const ViewAsk& what) override;
  // With --query nan or divergence what is looked for.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString pictureOptions() const override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QLayout* buildForm();
  QLayout* buildMessage();
  QWidget* buildTable();
  void refresh();
  void follow(const Selection& selection);
  void reach(const Instruction& instruction);
  // Of the computation, without values.
  void listInstructions(ComputationId computation);
  void showComputation(std::shared_ptr<const ReachedValues> reached);
  void showRow(InstructionId id);
  void showValue(InstructionId id);
  void say(const QString& text, bool isError = false);
  void sayWhy(const Diagnostic& why);
  void find(SnapshotId of, const std::vector<std::string>& path, InstructionId id, const QString& text);
  ValueRequest requestOf(const Snapshot& snapshot) const;
  const Snapshot* shown() const { return context_.session.snapshot(shown_); }
  // "Comparing cpu with reference", until it ends; what the job is at goes behind it.
  void setBusy(const QString& doing, JobId job);

  JobScope scope_;
  SnapshotId shown_;
  std::shared_ptr<const ReachedValues> reached_;
  ComputationId listed_;  // while there are no values: whose instructions the table has
  bool telling_ = false;
  int wantedTurn_ = 0;  // of the loop around what is gone to next
  QString doing_;       // while something is computed

  TableModel<ValueRow> model_;
  QComboBox* engine_;
  QComboBox* other_;
  QLineEdit* arguments_;
  QPushButton* ask_;
  QPushButton* nonfinite_;
  QPushButton* divergence_;
  JobProgress* progress_;
  MessageLine* message_;
  RunQuestion* question_;
  QLabel* place_;
  QSpinBox* turn_;
  TableView* table_;
  ValueDetails* details_;
};

}  // namespace hilo
