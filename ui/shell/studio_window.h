// One window with all that is its own: a job queue (whose tags are then no other window's), a session, the
// window itself. Several in a program share the settings and the event loop.
#pragma once

#include <memory>
#include <vector>

#include "ui/shell/main_window.h"
#include "ui/shell/ui_poster.h"
#include "ui/shell/window_follow.h"

namespace hilo {

class StudioWindow {
 public:
  // Reading may start before there is a QApplication: session().open() then, makeWindow() once there is one.
  StudioWindow(UiPoster& poster, std::string storePath);
  ~StudioWindow();
  MainWindow& makeWindow(WindowSetup::Shared shared, StartupTiming* timing = nullptr);
  Session& session() { return *session_; }
  MainWindow* window() { return window_.get(); }

 private:
  JobQueue jobs_{2};
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
};

// All windows of a program. UI thread.
class StudioWindows {
 public:
  // `layoutFolder`: where layouts of graphs are kept between runs of the program; "" for nowhere.
  StudioWindows(UiPoster& poster, StudioSettings& settings, std::string storePath, QString layoutFolder)
      : poster_(poster),
        settings_(settings),
        storePath_(std::move(storePath)),
        layoutFolder_(std::move(layoutFolder)) {}
  // The first one, whose session was made before.
  MainWindow& adopt(std::unique_ptr<StudioWindow> window, StartupTiming* timing);
  MainWindow& open(const QStringList& paths);
  size_t count() const { return windows_.size(); }
  StudioWindow& at(size_t n) { return *windows_[n]; }

 private:
  void remove(const MainWindow* window);
  // All others can follow the first.
  void offerFollowing();

  UiPoster& poster_;
  StudioSettings& settings_;
  std::string storePath_;
  QString layoutFolder_;
  std::vector<std::unique_ptr<StudioWindow>> windows_;
  std::vector<std::unique_ptr<WindowFollow>> follows_;
};

// Shows a window, no larger than its screen.
void showOnScreen(QWidget& window);

}  // namespace hilo
