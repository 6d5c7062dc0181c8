// The line above the thunks: what they are, what they are compiled for, what can be done with them next, and
// what is under way. UI thread.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "ui/models/session_changes.h"
#include "ui/models/view_context.h"
#include "ui/widgets/job_progress.h"

namespace hilo {

class ThunksHead : public QWidget {
  Q_OBJECT

 public:
  explicit ThunksHead(const ViewContext& context, QWidget* parent = nullptr);

  void setText(const QString& text) { text_->setText(text); }
  QString text() const { return text_->text(); }
  struct Offer {
    bool isDrawn = false;     // thunks are shown
    bool isCompiled = false;  // they can be run
    bool isPlanned = false;   // their times are estimates of a GPU
    bool hasModule = false;
  };
  // With a job under way, invalid for none, nothing can be done but ending it.
  void offer(const Offer& offer, JobId job);
  JobId job() const { return progress_->job(); }

  // Sets the box to what the module says it was compiled for, and tells by targetSaid().
  void findTarget(SnapshotId module);

  // Measures what is compiled, compiles what is not.
  QPushButton& nextButton() { return *next_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  QComboBox& targetBox() { return *target_; }
  // The GPU that the box names; "" for this processor.
  std::string gpu() const;

 Q_SIGNALS:
  void targetSaid();

 private:
  void takeTarget();

  const ViewContext& context_;
  SnapshotId sought_;  // whose target is asked for; invalid once it is known
  QLabel* text_;
  JobProgress* progress_;
  QComboBox* target_;  // what the module is compiled for
  QPushButton* next_;
};

}  // namespace hilo
