// A job that is under way: how far it is, and a button that ends it. Hidden while there is none.
#pragma once

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

 private:
  void refresh();

  JobQueue& jobs_;
  JobId job_;
  QTimer timer_;  // runs while the job does
  QProgressBar* bar_;
  QPushButton* stop_;
};

}  // namespace hilo
