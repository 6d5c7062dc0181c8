// Which pass broke it: a search over the stages of a dump or the passes of a pipeline, down to a rewrite and
// an instruction, drawn as it goes; then the module that the bad pass ran over, made small. What `hilo
// bisect` and `hilo reduce` do.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTabWidget>

#include "ui/views/bisect/bisect_form.h"
#include "ui/views/bisect/bisect_rows.h"
#include "ui/views/bisect/look_strip.h"
#include "ui/views/bisect/mailbox.h"
#include "ui/views/bisect/reduce_pane.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class DiffTextView;

class BisectView : public View {
  Q_OBJECT

 public:
  explicit BisectView(const ViewContext& context, QWidget* parent = nullptr);

  // Searches as the form says; answered later.
  void search();
  const Bisection* found() const { return found_.get(); }
  BisectForm& form() { return *form_; }
  LookStrip& strip() { return *strip_; }
  ReducePane& reducePane() { return *reduce_; }
  QTabWidget& tabs() { return *tabs_; }
  TableView& looks() { return *lookTable_; }
  const TableModel<LookRow>& lookRows() const { return lookRows_; }
  QPushButton& startButton() { return *start_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  QPushButton& passesButton() { return *showPasses_; }
  QPushButton& instructionButton() { return *showInstruction_; }
  QString message() const { return message_->text(); }

  void addState(ViewState& state) const override;
  void showState(const ViewState& state) override;
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString pictureOptions() const override { return found_ != nullptr ? "--run" : QString(); }

 private:
  QLayout* buildForm();
  QWidget* buildAnswer();
  QWidget* buildLooks();
  void refresh();
  void enableButtons();
  void show(std::shared_ptr<const Bisection> search, bool isDone);
  void showChanges();
  void showInPasses();
  void showInstruction();
  void offerReduction();

  JobScope scope_;
  bool isBusy_ = false;  // until the answer is here, which comes after the job's end
  std::shared_ptr<Mailbox<Bisection>> soFar_;
  std::shared_ptr<const Bisection> found_;        // null: nothing was searched yet
  std::shared_ptr<const BisectRequest> request_;  // that found_ is of
  BisectSettings searched_;                       // with these
  SnapshotId origin_;                             // and this module
  TableModel<LookRow> lookRows_;
  BisectForm* form_;
  QPushButton* start_;
  JobProgress* progress_;
  MessageLine* message_;
  LookStrip* strip_;
  QTabWidget* tabs_;
  QLabel* changesTitle_;
  DiffTextView* changes_;
  QPushButton* showPasses_;
  QPushButton* showInstruction_;
  TableView* lookTable_;
  ReducePane* reduce_;
};

}  // namespace hilo
