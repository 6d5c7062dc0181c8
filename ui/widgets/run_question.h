// Asks before work that is estimated to take long or much memory: a line that says how much, with "Run
// anyway". Hidden while there is nothing to ask.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <functional>

#include "core/workspace/job_queue.h"
#include "core/workspace/run/runs.h"

namespace hilo {

class RunQuestion : public QWidget {
  Q_OBJECT

 public:
  explicit RunQuestion(JobQueue& jobs, QWidget* parent = nullptr);

  // Estimates the runs in a job and calls `go`: at once where they are small, else after "Run anyway". A
  // newer call takes the place of one that waits. Gives the job that estimates.
  JobId ask(std::vector<RunRequest> runs, std::function<void()> go);
  void drop();

  QPushButton& goButton() { return *go_; }
  QString text() const { return label_->text(); }

 Q_SIGNALS:
  // The runs wait for an answer, or are not wanted.
  void asked();
  void declined();

 private:
  JobQueue& jobs_;
  JobScope scope_;
  std::function<void()> wanted_;
  QLabel* label_;
  QPushButton* go_;
};

}  // namespace hilo
