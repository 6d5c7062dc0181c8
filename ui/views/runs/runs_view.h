// Runs kept in the session's store, newest first, and a line to start one over the current module.
#pragma once

#include <QWidget>

#include "ui/views/runs/run_form.h"
#include "ui/views/runs/run_list.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/run_question.h"
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
  // The line below the form.
  void say(const QString& text, bool isError = false);
  RunForm& form() { return *form_; }
  RunList& list() { return *list_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
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

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void findEngine();
  QLayout* buildMessage();
  void connectParts();
  void start(const RunRequest& request);
  void noteDone(std::vector<RunRecord> records, const ValueRequest& asked);
  void noteChecked(const Diagnostics& findings, SnapshotId of);
  void noteFailed(const Diagnostic& why);

  JobScope scope_;
  SnapshotId fitted_;  // whose engine was found
  RunForm* form_;
  JobProgress* progress_;
  RunQuestion* question_;
  MessageLine* message_;
  RunList* list_;
};

}  // namespace hilo
