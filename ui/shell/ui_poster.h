// Brings replies of jobs to the UI thread. Work may be submitted before there is an application: what comes
// back before attach() waits for it.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace hilo {

class UiPoster {
 public:
  // Any thread.
  void post(std::function<void()> function);
  // UI thread: from here on posted functions run in its event loop.
  void attach();
  // UI thread: drops what has not run yet and all that comes later. Before the application goes.
  void detach();

 private:
  void schedule();
  void drain();

  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
  // Lives on the UI thread; events for it go when it goes.
  std::unique_ptr<QObject> receiver_;
  bool scheduled_ = false;
  bool detached_ = false;
};

}  // namespace hilo
