// A job that is under way: how far it is, what it is at, and a button that ends it. Hidden while there is
// none, and once it has ended.
#pragma once

#include <QElapsedTimer>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "core/workspace/job_queue.h"

namespace hilo {

class JobProgress : public QWidget {
  Q_OBJECT

 public:
  // `stopTip`: what ends with the job.
  JobProgress(JobQueue& jobs, const QString& stopTip, QWidget* parent = nullptr);
  // Not valid: none.
  void setJob(JobId job);
  JobId job() const { return job_; }
  QPushButton& stopButton() { return *stop_; }

 Q_SIGNALS:
  // What it is at, each time that is another thing.
  void told(const QString& text);
  // It ended before it was done: by the button, in the list of jobs, or because a newer one takes its place.
  void cancelled();

 private:
  void refresh();

  JobQueue& jobs_;
  JobId job_;
  QTimer timer_;           // runs while the job does
  QElapsedTimer elapsed_;  // since the job was given
  QString told_;
  QProgressBar* bar_;
  QPushButton* stop_;
};

}  // namespace hilo
