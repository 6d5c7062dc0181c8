// A queue of jobs whose replies come to the application's thread, as in a window.
#pragma once

#include <QCoreApplication>

#include "core/workspace/job_queue.h"

namespace hilo {

class UiJobs {
 public:
  UiJobs() {
    queue_.setPoster([](std::function<void()> reply) {
      QMetaObject::invokeMethod(qApp, std::move(reply), Qt::QueuedConnection);
    });
  }
  JobQueue& queue() { return queue_; }

 private:
  JobQueue queue_;
};

}  // namespace hilo
