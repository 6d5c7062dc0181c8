// The window's status bar: the job under way with what ends it, the words of views, each a button that goes
// there, the device that times are estimated for, and the module.
#pragma once

#include <QStatusBar>
#include <QTimer>

#include "ui/widgets/job_progress.h"
#include "ui/widgets/view.h"

class QLabel;

namespace hilo {

class WindowStatus : public QObject {
  Q_OBJECT

 public:
  WindowStatus(QStatusBar& bar, const ViewContext& context, const std::vector<View*>& views);
  // Of what the session shows now.
  void update();
  void say(const QString& text);
  JobProgress& progress() { return *progress_; }

 private:
  void addWord(View& view);
  void updateModule();
  void updateDevice();
  void watchJobs();
  void showJob();

  QStatusBar& bar_;
  const ViewContext context_;
  JobProgress* progress_;
  JobId candidate_;  // runs, and is shown if it goes on
  QTimer jobTimer_;
  QLabel* device_;
  QLabel* module_;
};

}  // namespace hilo
