#include "ui/shell/studio_window.h"

#include <QScreen>
#include <QTimer>

#include "core/workspace/run/run_limits.h"

namespace hilo {

void showOnScreen(QWidget& window) {
  window.resize(window.size().boundedTo(window.screen()->availableSize()));
  window.show();
}

StudioWindow::StudioWindow(UiPoster& poster, std::string storePath) {
  jobs_.setPoster([&poster](std::function<void()> function) { poster.post(std::move(function)); });
  jobs_.setListener([this] {
    if (window_ != nullptr) Q_EMIT window_->context().changes.jobsChanged();
  });
  session_ = std::make_unique<Session>(jobs_, std::move(storePath));
  WorkerOptions worker = session_->runs().worker();
  worker.timeLimitNs = kRunLimitNs;
  session_->runs().setWorker(std::move(worker));
}

StudioWindow::~StudioWindow() {
  window_.reset();
  session_.reset();
}

MainWindow& StudioWindow::makeWindow(WindowSetup::Shared shared, StartupTiming* timing) {
  window_ = std::make_unique<MainWindow>(WindowSetup{jobs_, *session_, shared.settings, timing,
                                                     std::move(shared.openWindow), shared.layoutFolder});
  return *window_;
}

MainWindow& StudioWindows::adopt(std::unique_ptr<StudioWindow> adopted, StartupTiming* timing) {
  windows_.push_back(std::move(adopted));
  MainWindow& window = windows_.back()->makeWindow(
      {settings_, [this](const QStringList& paths) { showOnScreen(open(paths)); }, layoutFolder_}, timing);
  // Later: the window is still in the middle of closing.
  QObject::connect(&window, &MainWindow::closed, &window,
                   [this, closed = &window] { QTimer::singleShot(0, [this, closed] { remove(closed); }); });
  offerFollowing();
  return window;
}

MainWindow& StudioWindows::open(const QStringList& paths) {
  MainWindow& window = adopt(std::make_unique<StudioWindow>(poster_, storePath_), nullptr);
  for (const QString& path : paths) window.files().open(path);
  return window;
}

// The last one stays until the program ends, which is when it closes.
void StudioWindows::remove(const MainWindow* window) {
  if (windows_.size() == 1) return;
  follows_.clear();
  std::erase_if(windows_, [window](const auto& each) { return each->window() == window; });
  offerFollowing();
}

void StudioWindows::offerFollowing() {
  follows_.clear();
  for (size_t n = 1; n < windows_.size(); ++n)
    follows_.push_back(std::make_unique<WindowFollow>(*windows_[0]->window(), *windows_[n]->window()));
}

}  // namespace hilo
