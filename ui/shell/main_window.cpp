#include "ui/shell/main_window.h"

#include <QApplication>
#include <QChildEvent>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QListView>
#include <QMimeData>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTabBar>
#include <QUrl>

#include "ui/models/text_of.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/graph_area.h"
#include "ui/shell/welcome_page.h"
#include "ui/style/theme.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/file/file_view.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/jobs/jobs_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/overview/overview_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/problems/problems_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/views/search/search_view.h"
#include "ui/views/source/source_view.h"
#include "ui/views/text/text_pane.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/views/tree/tree_view.h"
#include "ui/views/tune/tune_view.h"
#include "ui/views/values/values_view.h"
#include "ui/widgets/overflow_button.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {
constexpr int kStateVersion = 3;
constexpr int kMessageMs = 8000;
}  // namespace

MainWindow::MainWindow(const WindowSetup& setup)
    : setup_(setup), bus_(this), context_{setup.session, bus_, setup.jobs} {
  // Before anything is measured in its font.
  applyTheme(*qApp, setup_.settings.get("dark", false).toBool() ? darkTheme() : lightTheme());
  setObjectName("studio");
  setWindowTitle("Hilo studio");
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  resize(1440, 900);
  buildMiddle();
  buildDocks();
  buildActions();
  buildStatusBar();
  connectSession();
  connectViews();
  connectFile();
  palette_ = new CommandPalette(
      context_, [this] { return paletteCommands(); }, [this](const QString& query) { searchFor(query); },
      this);
  for (const QString& name : viewNames()) untouched_[name] = controlValues(*view(name));
  restoreState();
  welcome_->setLast(setup_.settings.get("open").toStringList());
  updateRecent();
  updateNavigation();
  // That which was reckoned while docks and bars were added one after the other holds no longer.
  setMinimumSize(0, 0);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildMiddle() {
  welcome_ = new WelcomePage(this);
  graph_ = new GraphArea(context_);
  text_ = new TextPane(context_);
  passes_ = new PassesView(context_, graphPairFactory());
  passes_->setMinimumSize(300, 200);
  file_ = new FileView(context_);
  overview_ = new OverviewView(context_);
  schedule_ = new ScheduleView(context_);
  memory_ = new MemoryView(context_);
  thunks_ = new ThunksView(context_);
  middle_ = new QSplitter(Qt::Horizontal);
  middle_->addWidget(graph_);
  middle_->addWidget(text_);
  middle_->setChildrenCollapsible(false);
  pages_ = new QTabWidget(this);
  pages_->setDocumentMode(true);
  pages_->setAccessibleName("Pages");
  // The widest page would make the window wide; contents scroll or are cut instead.
  for (QWidget* page :
       std::initializer_list<QWidget*>{overview_, schedule_, memory_, thunks_, passes_, file_})
    page->setMinimumSize(240, 120);
  pages_->addTab(middle_, "Module");
  pages_->addTab(overview_, "Overview");
  pages_->addTab(schedule_, "Schedule");
  pages_->addTab(memory_, "Memory");
  pages_->addTab(thunks_, "Thunks");
  pages_->addTab(passes_, "Passes");
  pages_->addTab(file_, "File");
  centre_ = new QStackedWidget(this);
  centre_->addWidget(welcome_);
  centre_->addWidget(pages_);
  setCentralWidget(centre_);
  setMiddle(Middle::kBoth);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName("dock." + name);
  dock->setWidget(content);
  // A stack of docks is as tall as its tallest needs to be; contents scroll instead.
  content->setMinimumSize(160, 90);
  addDockWidget(area, dock);
  docks_.push_back(dock);
  return dock;
}

void MainWindow::buildDocks() {
  tree_ = new TreeView(context_);
  inspector_ = new InspectorView(context_);
  search_ = new SearchView(context_);
  connect(search_, &SearchView::colourAsked, this, [this](const QString& query) {
    graph_->addQuery(query);
    showView("graph");
  });
  problems_ = new ProblemsView(context_);
  jobsView_ = new JobsView(context_);
  runs_ = new RunsView(context_);
  compare_ = new CompareView(context_);
  values_ = new ValuesView(context_);
  tune_ = new TuneView(context_);
  bookmarks_ = new BookmarksView(context_);
  source_ = new SourceView(context_);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  addDock("tree", "Modules", tree_, Qt::LeftDockWidgetArea);
  QDockWidget* inspector = addDock("inspector", "Inspector", inspector_, Qt::RightDockWidgetArea);
  tabifyDockWidget(inspector, addDock("source", "Source", source_, Qt::RightDockWidgetArea));
  inspector->raise();
  QDockWidget* first = addDock("search", "Search", search_, Qt::BottomDockWidgetArea);
  for (QDockWidget* dock : {addDock("problems", "Problems", problems_, Qt::BottomDockWidgetArea),
                            addDock("bookmarks", "Bookmarks", bookmarks_, Qt::BottomDockWidgetArea),
                            addDock("runs", "Runs", runs_, Qt::BottomDockWidgetArea),
                            addDock("compare", "Compare", compare_, Qt::BottomDockWidgetArea),
                            addDock("values", "Values", values_, Qt::BottomDockWidgetArea),
                            addDock("tune", "Tune", tune_, Qt::BottomDockWidgetArea),
                            addDock("jobs", "Jobs", jobsView_, Qt::BottomDockWidgetArea)}) {
    tabifyDockWidget(first, dock);
  }
  first->raise();
}

void MainWindow::buildStatusBar() {
  moduleLabel_ = new QLabel(this);
  problemsLabel_ = new QLabel(this);
  jobsLabel_ = new QLabel(this);
  statusBar()->addPermanentWidget(jobsLabel_);
  statusBar()->addPermanentWidget(problemsLabel_);
  statusBar()->addPermanentWidget(moduleLabel_);
}

void MainWindow::connectSession() {
  Session& session = setup_.session;
  connect(&session, &Session::currentChanged, this, &MainWindow::showCurrent);
  connect(&session, &Session::compiledShown, this, &MainWindow::showCompiled);
  connect(&session, &Session::failed, this, &MainWindow::showFailure);
  connect(&session, &Session::documentOpened, this, [this](DocumentId id) {
    const Document* document = setup_.session.document(id);
    setup_.settings.addRecent(document->storedId == 0 ? document->path : setup_.session.filePath());
    updateRecent();
    noteOpen();
    welcome_->setBusy({});
    if (setup_.timing != nullptr) setup_.timing->reached("module read");
  });
}

void MainWindow::connectViews() {
  connect(&bus_, &SelectionBus::selectionChanged, this, &MainWindow::visit);
  connect(&bus_, &SelectionBus::activated, this, [this] { pages_->setCurrentWidget(middle_); });
  connect(welcome_, &WelcomePage::openAsked, this, &MainWindow::openPath);
  connect(welcome_, &WelcomePage::openFileAsked, this, &MainWindow::askForFile);
  connect(welcome_, &WelcomePage::reopenAsked, this, [this] { action("file.reopen")->trigger(); });
  connect(welcome_, &WelcomePage::openFolderAsked, this, &MainWindow::askForFolder);
  connect(tree_, &TreeView::fileActivated, this, [this](const QString& path) { showFile(path); });
  connect(inspector_, &InspectorView::fileActivated, this, &MainWindow::showFile);
  connect(passes_, &PassesView::thunksAsked, this, [this] { showView("thunks"); });
  connect(runs_, &RunsView::runFailed, compare_, &CompareView::sayWhyNot);
  connect(runs_, &RunsView::compareAsked, this, [this] { showView("compare"); });
  connect(runs_, &RunsView::runSelected, graph_, &GraphArea::setRun);
  connect(runs_, &RunsView::runSelected, thunks_, &ThunksView::setRun);
  connect(runs_, &RunsView::nonfiniteAsked, this, [this] {
    showView("values");
    values_->findNonfinite();
  });
  connect(compare_, &CompareView::divergenceAsked, this,
          [this](const QString& truth, const QString& engine, const ArgumentSource& arguments) {
            showView("values");
            values_->findDivergence(truth, engine, arguments);
          });
  connect(problems_, &ProblemsView::countChanged, this, [this](int errors, int warnings) {
    problemsLabel_->setText(errors + warnings == 0
                                ? QString()
                                : QString("%1, %2").arg(countOf(static_cast<size_t>(errors), "error"),
                                                        countOf(static_cast<size_t>(warnings), "warning")));
  });
  connect(jobsView_, &JobsView::runningChanged, this, [this](int running, const QString& title) {
    jobsLabel_->setText(running == 0   ? QString()
                        : running == 1 ? title + " ..."
                                       : QString("%1 ... and %2 more").arg(title).arg(running - 1));
  });
  // Everything that came from this line of the user's program.
  const auto searchSource = [this](const QString& file, int line) {
    searchFor(QString("source:\"%1:%2\"").arg(file).arg(line));
  };
  connect(inspector_, &InspectorView::sourceActivated, this, searchSource);
  connect(source_, &SourceView::lineActivated, this, searchSource);
  connect(overview_, &OverviewView::searchAsked, this, &MainWindow::searchFor);
  connect(tree_, &TreeView::compareAsked, this, [this](const ModuleTreeModel::Entry& entry) {
    compareWith(entry.kind == ModuleTreeModel::Kind::kStage
                    ? setup_.session.stepOf(entry.selection.document, entry.moduleIndex, entry.stageIndex)
                    : setup_.session.stepOf(entry.selection.snapshot));
  });
  connect(graph_, &GraphArea::painted, this, [this] {
    if (setup_.timing != nullptr) setup_.timing->reached("graph painted");
  });
}

QStringList MainWindow::viewNames() {
  return {"window",   "graph",  "text",   "tree",    "inspector", "search",   "problems",
          "jobs",     "passes", "runs",   "compare", "file",      "overview", "bookmarks",
          "schedule", "memory", "thunks", "source",  "values",    "tune"};
}

QWidget* MainWindow::view(const QString& name) {
  const std::pair<const char*, QWidget*> views[] = {
      {"window", this},          {"graph", graph_},       {"text", text_},           {"tree", tree_},
      {"inspector", inspector_}, {"search", search_},     {"problems", problems_},   {"jobs", jobsView_},
      {"passes", passes_},       {"runs", runs_},         {"compare", compare_},     {"file", file_},
      {"overview", overview_},   {"schedule", schedule_}, {"bookmarks", bookmarks_}, {"memory", memory_},
      {"thunks", thunks_},       {"source", source_},     {"values", values_},       {"tune", tune_},
  };
  for (const auto& [known, widget] : views) {
    if (name == known) return widget;
  }
  return nullptr;
}

void MainWindow::showView(const QString& name) {
  QWidget* shown = view(name);
  if (shown == nullptr) return;
  if (auto* dock = qobject_cast<QDockWidget*>(shown->parentWidget())) {
    dock->show();
    dock->raise();
  } else if (shown == passes_ || shown == file_ || shown == overview_ || shown == schedule_ ||
             shown == memory_ || shown == thunks_) {
    centre_->setCurrentWidget(pages_);
    pages_->setCurrentWidget(shown);
  } else if (shown == graph_ || shown == text_) {
    pages_->setCurrentWidget(middle_);
    if (!shown->isVisibleTo(middle_)) setMiddle(Middle::kBoth);
  }
  shown->setFocus();
}

void MainWindow::openPath(const QString& path) {
  const bool replaces =
      !setup_.session.documents().empty() && path.endsWith(".hilo") && path != setup_.session.filePath();
  if (replaces && setup_.openWindow) return setup_.openWindow({path});
  welcome_->setBusy(QFileInfo(path).fileName());
  setup_.session.open(path);
}

bool MainWindow::goToName(const QString& name) {
  const Selection found = setup_.session.findByName(name);
  if (found.empty()) return setup_.session.shownCompiled() != nullptr && thunks().goTo(name);
  bus_.activate(found);
  return true;
}

void MainWindow::showCurrent(SnapshotId id) {
  const Snapshot* snapshot = setup_.session.snapshot(id);
  centre_->setCurrentWidget(
      snapshot == nullptr && setup_.session.documents().empty() ? static_cast<QWidget*>(welcome_) : pages_);
  updateModuleLabel();
  updateTitle();
  if (snapshot == nullptr) return;
  const Document* document = setup_.session.document(snapshot->document);
  // The same instruction in another snapshot of the same pipeline stays selected; else what was selected the
  // last time this file was open.
  if (bus_.selected().snapshot == id) return;
  Selection selection{snapshot->document, id, {}, {}};
  if (document != nullptr) {
    const QString name =
        wantedSelection_.isEmpty() ? setup_.settings.lastSelection(document->path) : wantedSelection_;
    wantedSelection_.clear();
    const Selection last = setup_.session.findByName(name);
    if (!last.empty()) selection = last;
  }
  bus_.activate(selection);
}

// Of one there are thunks alone.
void MainWindow::showCompiled() {
  const bool isShown = setup_.session.shownCompiled() != nullptr;
  centre_->setCurrentWidget(setup_.session.documents().empty() ? static_cast<QWidget*>(welcome_) : pages_);
  updateModuleLabel();
  updateTitle();
  if (isShown) showView("thunks");
}

void MainWindow::updateModuleLabel() {
  const Snapshot* snapshot = setup_.session.current();
  if (const Document* compiled = setup_.session.shownCompiled()) {
    moduleLabel_->setText(compiled->title +
                          (compiled->program ? ": saved program" : ": XLA's thunks, no module"));
  } else if (snapshot != nullptr) {
    const Module& module = *snapshot->module;
    moduleLabel_->setText(QString("%1: %2 in %3")
                              .arg(qs(module.name()), countOf(module.instructionCount(), "instruction"),
                                   countOf(module.computations().size(), "computation")));
  } else {
    moduleLabel_->clear();
  }
}

void MainWindow::showFailure(const QString& what, const Diagnostic& why) {
  QString text = what + ": " + qs(why.message);
  if (!why.notes.empty()) text += " (" + qs(why.notes.front()) + ")";
  statusBar()->showMessage(text, kMessageMs);
  welcome_->setBusy({});
  showView("problems");
}

void MainWindow::visit(const Selection& selection) {
  if (selection.snapshot.valid() && setup_.session.snapshot(selection.snapshot) != nullptr) {
    setup_.session.setCurrent(selection.snapshot);
  }
  if (!travelling_ && !selection.empty()) history_.visit(selection);
  updateNavigation();
}

void MainWindow::goTo(const Selection& place) {
  travelling_ = true;
  if (setup_.session.snapshot(place.snapshot) != nullptr) bus_.activate(place);
  travelling_ = false;
  updateNavigation();
}

void MainWindow::noteJobsChanged() { jobsView_->noteChange(); }

bool MainWindow::idle() const {
  for (const JobInfo& job : setup_.jobs.jobs()) {
    if (job.state == JobState::Queued || job.state == JobState::Running) return false;
  }
  return !setup_.session.busy() && setup_.session.isShown() && graphsSettled(*this);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (const QToolBar* bar : findChildren<QToolBar*>(Qt::FindDirectChildrenOnly)) drawOverflowButton(*bar);
}

void MainWindow::setTheme(bool dark) {
  applyTheme(*qApp, dark ? darkTheme() : lightTheme());
  setup_.settings.set("dark", dark);
  if (QAction* toggle = action("view.dark")) toggle->setChecked(dark);
}

void MainWindow::setSourceRoots(const QStringList& folders) {
  setup_.settings.set("sourceRoots", folders);
  setup_.session.setSourceRoots(folders);
}

void MainWindow::setNodePalette(NodePalette nodePalette) {
  graph_->setNodePalette(nodePalette);
  setup_.settings.set("xlaColours", nodePalette == NodePalette::kXla);
  if (QAction* toggle = action("view.xlaColours")) toggle->setChecked(nodePalette == NodePalette::kXla);
}

void MainWindow::setMiddle(Middle middle) {
  shownMiddle_ = middle;
  graph_->setVisible(middle != Middle::kText);
  text_->setVisible(middle != Middle::kGraph);
  if (middle == Middle::kBoth) middle_->setSizes({600, 400});
}

void MainWindow::searchFor(const QString& query) {
  showView("search");
  search_->search(query);
}

// What is shown is the module after, the other the one before.
void MainWindow::compareWith(SeriesStep other) {
  setup_.session.compareWithCurrent(std::move(other));
  showView("passes");
}

void MainWindow::askWhatToCompare() {
  auto choices = setup_.session.comparable();
  if (choices.empty()) {
    statusBar()->showMessage("There is nothing to compare with: open another module, or run passes.",
                             kMessageMs);
    return;
  }
  QStringList names;
  for (const auto& [name, step] : choices) names << name;
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
  dialog->setWindowTitle("Compare with another module");
  dialog->setLabelText("The module before; what is shown is the module after");
  dialog->setComboBoxItems(names);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, choices = std::move(choices)](const QString& name) {
            for (const auto& [known, step] : choices) {
              if (known == name) return compareWith(step);
            }
          });
  dialog->open();
  if (auto* list = dialog->findChild<QListView*>()) list->setAccessibleName("Modules");
}

void MainWindow::showFile(const QString& path, const QString& word) {
  file_->show(path, word);
  showView("file");
}

void MainWindow::restoreState() {
  const StudioSettings& settings = setup_.settings;
  setTheme(settings.get("dark", false).toBool());
  setNodePalette(settings.get("xlaColours", false).toBool() ? NodePalette::kXla : NodePalette::kOpcodeClass);
  setup_.session.setSourceRoots(settings.get("sourceRoots").toStringList());
  action("view.facts")->setChecked(settings.get("facts", true).toBool());
  restoreGeometry(settings.get("geometry").toByteArray());
  QMainWindow::restoreState(settings.get("docks").toByteArray(), kStateVersion);
  const int middle = settings.get("shownMiddle", static_cast<int>(Middle::kBoth)).toInt();
  setMiddle(static_cast<Middle>(std::clamp(middle, 0, static_cast<int>(Middle::kBoth))));
  if (const QByteArray sizes = settings.get("middle").toByteArray(); !sizes.isEmpty())
    middle_->restoreState(sizes);
}

QString MainWindow::selectedName() const {
  const Snapshot* snapshot = setup_.session.snapshotFor(bus_.selected());
  if (snapshot == nullptr) return {};
  const Instruction* instruction = instructionOf(*snapshot->module, bus_.selected());
  const Computation* computation = computationOf(*snapshot->module, bus_.selected());
  return instruction != nullptr   ? qs(instruction->name())
         : computation != nullptr ? qs(computation->name())
                                  : QString();
}

void MainWindow::saveState() {
  StudioSettings& settings = setup_.settings;
  settings.set("geometry", saveGeometry());
  settings.set("docks", QMainWindow::saveState(kStateVersion));
  settings.set("middle", middle_->saveState());
  settings.set("shownMiddle", static_cast<int>(shownMiddle_));
  const Snapshot* snapshot = setup_.session.snapshotFor(bus_.selected());
  const Document* document = snapshot == nullptr ? nullptr : setup_.session.document(snapshot->document);
  if (document == nullptr) return;
  settings.setLastSelection(document->path, selectedName());
}

// As it changes, not when the window closes: a program that is killed comes back to it too.
void MainWindow::noteOpen() {
  QStringList open;
  for (const auto& each : setup_.session.documents()) {
    open << QFileInfo(each->storedId == 0 ? each->path : setup_.session.filePath()).absoluteFilePath();
  }
  open.removeDuplicates();
  if (!open.isEmpty()) setup_.settings.set("open", open);
}

// Sizes of docks hold only once the window has its own.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (docksPlaced_) return;
  docksPlaced_ = true;
  if (!setup_.settings.get("docks").toByteArray().isEmpty()) return;
  placeDocks();
}

// Where there is little room the inspector and the source go behind the tree, and the graph has the middle to
// itself. Before the window is shown: what it holds side by side says how narrow it can be.
void MainWindow::setVisible(bool visible) {
  constexpr int kRoomForAll = 1200;
  const bool first = visible && !docksPlaced_ && setup_.settings.get("docks").toByteArray().isEmpty();
  if (first && width() < kRoomForAll) {
    narrow_ = true;
    tabifyDockWidget(dock("tree"), dock("inspector"));
    tabifyDockWidget(dock("inspector"), dock("source"));
    dock("tree")->raise();
    setMiddle(Middle::kGraph);
  }
  QMainWindow::setVisible(visible);
}

QDockWidget* MainWindow::dock(const char* name) const {
  return findChild<QDockWidget*>(QString("dock.") + name);
}

void MainWindow::placeDocks() {
  resizeDocks({dock("search")}, {height() / 4}, Qt::Vertical);
  if (narrow_) {
    resizeDocks({dock("tree")}, {width() / 3}, Qt::Horizontal);
  } else {
    resizeDocks({dock("tree"), dock("inspector")}, {width() / 5, width() / 4}, Qt::Horizontal);
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  saveState();
  // No job would live to do it.
  if (keepTimer_.isActive()) {
    keepTimer_.stop();
    const Status kept = saveViewState(toStd(setup_.session.filePath()), viewState());
    if (!kept) statusBar()->showMessage(qs(kept.error().message));
  }
  QMainWindow::closeEvent(event);
  Q_EMIT closed();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) openPath(url.toLocalFile());
  }
  event->acceptProposedAction();
}

// Qt makes a bar of tabs wherever docks are stacked.
void MainWindow::childEvent(QChildEvent* event) {
  QMainWindow::childEvent(event);
  if (event->type() != QEvent::ChildPolished) return;
  if (auto* bar = qobject_cast<QTabBar*>(event->child())) bar->setAccessibleName("Stacked docks");
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (palette_ != nullptr && palette_->isVisible()) palette_->open();
}

// The side buttons of a mouse go back and forward, as in a browser.
void MainWindow::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::BackButton) return action("go.back")->trigger();
  if (event->button() == Qt::ForwardButton) return action("go.forward")->trigger();
  QMainWindow::mousePressEvent(event);
}

}  // namespace hilo
