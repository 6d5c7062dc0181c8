// The studio's window: the graph and the text of the current module in the middle, everything else in docks
// around them. It owns the selection bus, the history and the actions; views meet only here.
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>

#include "ui/models/view_context.h"
#include "ui/shell/navigation_history.h"
#include "ui/shell/startup_timing.h"
#include "ui/shell/studio_settings.h"
#include "ui/style/colours.h"

namespace hilo {

class BookmarksView;
class CommandPalette;
class CompareView;
class FileView;
class GraphArea;
class InspectorView;
class JobsView;
class MemoryView;
class ThunksView;
class OverviewView;
struct PaletteCommand;
class PassesView;
class ProblemsView;
class RunsView;
class ScheduleView;
class SearchView;
class SourceView;
class TextPane;
class TreeView;
class TuneView;
class ValuesView;
class WelcomePage;

// What the window is given; all of it outlives the window.
struct WindowSetup {
  using OpenWindow = std::function<void(const QStringList& paths)>;
  // The part that is the same for all windows of a program.
  struct Shared {
    StudioSettings& settings;
    OpenWindow openWindow;
  };

  JobQueue& jobs;
  Session& session;
  StudioSettings& settings;
  StartupTiming* timing = nullptr;
  OpenWindow openWindow;  // null where there is to be one window alone
};

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const WindowSetup& setup);
  ~MainWindow() override;

  // The views that can be drawn alone, and the window itself.
  static QStringList viewNames();
  QWidget* view(const QString& name);
  // Brings a view to the front, wherever it lives.
  void showView(const QString& name);

  // A .hilo file that would take the place of what is open gets a window of its own.
  void openPath(const QString& path);
  // Keeps all that is open in the session's .hilo file; asks for one where there is none.
  void save();
  void saveAs(const QString& path);
  // Selects by name and goes there; false when the current module has no such thing.
  bool goToName(const QString& name);
  void setTheme(bool dark);
  // Where the user's program lies; remembered.
  void setSourceRoots(const QStringList& folders);
  void setNodePalette(NodePalette palette);
  // The queue's listener calls this.
  void noteJobsChanged();
  // Nothing is queued, running or being laid out.
  bool idle() const;

  SelectionBus& bus() { return bus_; }
  Session& session() { return setup_.session; }
  QAction* action(const QString& name) const { return findChild<QAction*>(name); }
  TreeView& tree() { return *tree_; }
  InspectorView& inspector() { return *inspector_; }
  SearchView& search() { return *search_; }
  PassesView& passes() { return *passes_; }
  RunsView& runs() { return *runs_; }
  CompareView& compare() { return *compare_; }
  ValuesView& values() { return *values_; }
  ProblemsView& problems() { return *problems_; }
  TuneView& tune() { return *tune_; }
  TextPane& text() { return *text_; }
  FileView& file() { return *file_; }
  OverviewView& overview() { return *overview_; }
  ScheduleView& schedule() { return *schedule_; }
  MemoryView& memory() { return *memory_; }
  ThunksView& thunks() { return *thunks_; }
  SourceView& source() { return *source_; }
  BookmarksView& bookmarks() { return *bookmarks_; }
  GraphArea& graph() { return *graph_; }
  CommandPalette& palette() { return *palette_; }
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
  enum class Middle : uint8_t { kGraph, kText, kBoth };

  void buildMiddle();
  void buildDocks();
  QDockWidget* addDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
  void buildActions();
  void buildFileMenu();
  void buildGoMenu();
  void buildViewMenu();
  void buildModuleMenu();
  void buildHelpMenu();
  void buildToolBar();
  void buildStatusBar();
  void connectFile();
  void connectSession();
  void connectViews();
  QAction* addAction(QMenu* menu, const QString& name, const QString& text, const QKeySequence& keys,
                     std::function<void()> run);
  void setMiddle(Middle middle);
  void updateRecent();
  void askForFile();
  void askForFolder();
  void askForSources();
  void askWhereToSave();
  ViewState viewState() const;
  void showViewState(const ViewState& state);
  void updateTitle();
  void noteOpen();
  void showCurrent(SnapshotId id);
  void showCompiled();
  void updateModuleLabel();
  void showFailure(const QString& what, const Diagnostic& why);
  void visit(const Selection& selection);
  void goTo(const Selection& place);
  void updateNavigation();
  void cycleDocks(int direction);
  void showShortcuts();
  std::vector<PaletteCommand> paletteCommands();
  void addDumpCommands(std::vector<PaletteCommand>& commands);
  void restoreState();
  void saveState();
  void searchFor(const QString& query);
  QString selectedName() const;
  QString shownPath() const;
  void copyCommandLine();
  QString viewOnScreen() const;
  void askWhatToCompare();
  void compareWith(SeriesStep other);
  void showFile(const QString& path, const QString& word = {});
  void placeDocks();
  QDockWidget* dock(const char* name) const;

  WindowSetup setup_;
  SelectionBus bus_;
  ViewContext context_;
  JobScope scope_;
  NavigationHistory history_;
  bool docksPlaced_ = false;
  bool narrow_ = false;
  std::map<QString, QStringList> untouched_;  // controlValues() of each view before anybody set one
  QTimer keepTimer_;                          // runs while what is shown is to be kept in the session's file
  QString wantedSelection_;                   // of a .hilo file whose module is still to be read
  Middle shownMiddle_ = Middle::kBoth;
  bool travelling_ = false;  // going back or forward: not a new place

  QStackedWidget* centre_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  QTabWidget* pages_ = nullptr;
  QSplitter* middle_ = nullptr;
  GraphArea* graph_ = nullptr;
  TextPane* text_ = nullptr;
  PassesView* passes_ = nullptr;
  FileView* file_ = nullptr;
  OverviewView* overview_ = nullptr;
  ScheduleView* schedule_ = nullptr;
  MemoryView* memory_ = nullptr;
  ThunksView* thunks_ = nullptr;
  BookmarksView* bookmarks_ = nullptr;
  TreeView* tree_ = nullptr;
  InspectorView* inspector_ = nullptr;
  SearchView* search_ = nullptr;
  SourceView* source_ = nullptr;
  ProblemsView* problems_ = nullptr;
  JobsView* jobsView_ = nullptr;
  RunsView* runs_ = nullptr;
  CompareView* compare_ = nullptr;
  ValuesView* values_ = nullptr;
  TuneView* tune_ = nullptr;
  CommandPalette* palette_ = nullptr;
  std::vector<QDockWidget*> docks_;
  QMenu* recentMenu_ = nullptr;
  QLabel* moduleLabel_ = nullptr;
  QLabel* problemsLabel_ = nullptr;
  QLabel* jobsLabel_ = nullptr;
};

}  // namespace hilo
