// The studio's window: the graph and the text of the current module in the middle, everything else in docks
// around them. It owns the selection bus and what makes a window of the views; views meet only here.
#pragma once

#include <QStackedWidget>

#include "core/base/check.h"
#include "ui/shell/startup_timing.h"
#include "ui/shell/window_menus.h"

namespace hilo {

class CommandPalette;
class WelcomePage;
class WindowStatus;

// What the window is given; all of it outlives the window.
struct WindowSetup {
  using OpenWindow = WindowFiles::OpenWindow;
  // The part that is the same for all windows of a program.
  struct Shared {
    StudioSettings& settings;
    OpenWindow openWindow;
    QString layoutFolder =
        {};  // where layouts of graphs are kept between runs of the program; "" for nowhere
  };

  JobQueue& jobs;
  Session& session;
  StudioSettings& settings;
  StartupTiming* timing = nullptr;
  OpenWindow openWindow = nullptr;  // null where there is to be one window alone
  QString layoutFolder = {};
};

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const WindowSetup& setup);
  ~MainWindow() override;

  // A view of views.def; null for another name.
  View* view(const QString& name) const { return places_.find(name); }
  template <typename V>
  V& view() const;
  // What a picture of this name shows (viewNames()): a view or the window; null for another name.
  QWidget* drawn(const QString& name);
  // Brings a view to the front, wherever it is.
  void showView(const QString& name);
  // Selects by name and goes there; false when what is shown has no such thing.
  bool goToName(const QString& name);
  void setTheme(bool dark);
  // Nothing is queued, running or being laid out.
  bool idle() const;

  SelectionBus& bus() { return bus_; }
  Session& session() { return setup_.session; }
  const ViewContext& context() const { return context_; }
  ViewPlaces& places() { return places_; }
  WindowFiles& files() { return files_; }
  Navigation& navigation() { return navigation_; }
  WindowStatus& status() { return *status_; }
  CommandPalette& palette() { return *palette_; }
  QAction* action(const QString& name) const { return findChild<QAction*>(name); }
  void setVisible(bool visible) override;

 Q_SIGNALS:
  void closed();

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void childEvent(QChildEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void buildCentre();
  void connectSession();
  void connectParts();
  void restoreState();
  void say(const QString& text);
  void openSource(const OpenSource& asked);
  void showCentre();
  void showCurrent(SnapshotId id);
  void showCompiled();
  void showFailure(const QString& what, const Diagnostic& why);
  void updateTitle();
  void copyCommandLine();

  WindowSetup setup_;
  SessionChanges changes_;
  SelectionBus bus_;
  ViewContext context_;
  WelcomePage* welcome_;  // before the views, as the focus goes around in this order
  QStackedWidget* centre_;
  QWidget* body_;  // of the centre: the pages and what stands above them
  ViewPlaces places_;
  Navigation& navigation_;  // these three are the window's children
  WindowFiles& files_;
  WindowMenus& menus_;
  bool isPlaced_ = false;  // it was shown once, or the settings say where its docks are
  CommandPalette* palette_ = nullptr;
  WindowStatus* status_ = nullptr;
};

template <typename V>
V& MainWindow::view() const {
  for (View* each : places_.views()) {
    if (auto* found = dynamic_cast<V*>(each)) return *found;
  }
  CHECK(!"no view of views.def has this class");
  std::unreachable();
}

// Everything that can be done or opened from the window, for its command palette.
std::vector<PaletteCommand> paletteCommands(MainWindow& window, const StudioSettings& settings);

}  // namespace hilo
