// The window's menus, tool bar and keys. Every action has a name, so that the palette and the tests find it.
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolBar>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/shell/command_line.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/graph_area.h"
#include "ui/shell/main_window.h"
#include "ui/shell/welcome_page.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/file/file_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/search/search_view.h"
#include "ui/views/text/text_pane.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/views/tree/tree_view.h"
#include "ui/views/tune/tune_view.h"
#include "ui/widgets/overflow_button.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {
constexpr int kMessageMs = 8000;
}

QAction* MainWindow::addAction(QMenu* menu, const QString& name, const QString& text,
                               const QKeySequence& keys, std::function<void()> run) {
  QAction* action = menu->addAction(text);
  action->setParent(this);
  action->setObjectName(name);
  action->setShortcut(keys);
  if (run) connect(action, &QAction::triggered, this, std::move(run));
  return action;
}

void MainWindow::buildActions() {
  buildFileMenu();
  buildGoMenu();
  buildViewMenu();
  buildModuleMenu();
  buildHelpMenu();
  buildToolBar();
}

void MainWindow::buildFileMenu() {
  QMenu* menu = menuBar()->addMenu("&File");
  addAction(menu, "file.open", "&Open file...", QKeySequence("Ctrl+O"), [this] { askForFile(); });
  addAction(menu, "file.openFolder", "Open &dump directory...", QKeySequence("Ctrl+Shift+O"),
            [this] { askForFolder(); });
  recentMenu_ = menu->addMenu("Open &recent");
  addAction(menu, "file.sources", "Source &folder...", {}, [this] {
    askForSources();
  })->setToolTip("Where your program lies: its lines show beside the HLO");
  addAction(menu, "file.reopen", "Reopen what was open the &last time", QKeySequence("Ctrl+Shift+T"), [this] {
    for (const QString& path : setup_.settings.get("open").toStringList()) openPath(path);
  });
  menu->addSeparator();
  QAction* newWindow = addAction(menu, "file.newWindow", "New &window", QKeySequence("Ctrl+Shift+N"), [this] {
    const QString path = shownPath();
    setup_.openWindow(path.isEmpty() ? QStringList() : QStringList{path});
  });
  newWindow->setEnabled(setup_.openWindow != nullptr);
  newWindow->setToolTip("The same module in a second window");
  addAction(menu, "file.save", "&Save", QKeySequence("Ctrl+S"), [this] { save(); });
  addAction(menu, "file.saveAs", "Save &as...", QKeySequence("Ctrl+Shift+S"), [this] { askWhereToSave(); });
  addAction(menu, "file.reload", "&Reload", QKeySequence("F5"), [this] {
    if (const QString path = shownPath(); !path.isEmpty()) openPath(path);
  });
  addAction(menu, "file.close", "&Close document", QKeySequence("Ctrl+W"), [this] {
    if (const Snapshot* snapshot = setup_.session.current()) setup_.session.close(snapshot->document);
  });
  menu->addSeparator();
  addAction(menu, "file.exportGraph", "&Export graph...", QKeySequence("Ctrl+E"),
            [this] { graph_->exportPicture(); });
  addAction(menu, "file.copyCommand", "Copy co&mmand line", QKeySequence("Ctrl+Shift+L"),
            [this] { copyCommandLine(); });
  menu->addSeparator();
  addAction(menu, "file.quit", "&Quit", QKeySequence("Ctrl+Q"), [this] { close(); });
}

void MainWindow::buildGoMenu() {
  QMenu* menu = menuBar()->addMenu("&Go");
  addAction(menu, "go.back", "&Back", QKeySequence("Alt+Left"), [this] {
    if (history_.canGoBack()) goTo(history_.back());
  });
  addAction(menu, "go.forward", "&Forward", QKeySequence("Alt+Right"), [this] {
    if (history_.canGoForward()) goTo(history_.forward());
  });
  menu->addSeparator();
  addAction(menu, "go.palette", "&Command palette...", QKeySequence("Ctrl+K"), [this] { palette_->open(); });
  addAction(menu, "go.find", "F&ind in text...", QKeySequence("Ctrl+F"), [this] {
    if (pages_->currentWidget() == file_) return file_->openFind();
    showView("text");
    text_->openFind();
  });
  addAction(menu, "go.search", "&Search instructions...", QKeySequence("Ctrl+Shift+F"), [this] {
    showView("search");
    search_->box().setFocus();
    search_->box().selectAll();
  });
  addAction(menu, "go.filterTree", "Filter &modules...", QKeySequence("Ctrl+Shift+M"), [this] {
    showView("tree");
    tree_->filter().setFocus();
  });
  addAction(menu, "go.bookmark", "&Bookmark what is selected", QKeySequence("Ctrl+B"), [this] {
    showView("bookmarks");
    bookmarks_->toggle();
  });
  menu->addSeparator();
  addAction(menu, "go.root", "&Entry's root", QKeySequence("Ctrl+Home"), [this] {
    const Snapshot* snapshot = setup_.session.current();
    if (snapshot == nullptr || snapshot->module->entry() == nullptr) return;
    const Instruction* root = snapshot->module->entry()->root();
    if (root != nullptr) bus_.activate(setup_.session.selectionOf(*snapshot, *root));
  });
  addAction(menu, "go.nextDock", "&Next view", QKeySequence("F6"), [this] { cycleDocks(+1); });
  addAction(menu, "go.previousDock", "&Previous view", QKeySequence("Shift+F6"), [this] { cycleDocks(-1); });
}

void MainWindow::buildViewMenu() {
  QMenu* menu = menuBar()->addMenu("&View");
  addAction(menu, "view.graph", "&Graph only", QKeySequence("Ctrl+1"), [this] {
    pages_->setCurrentWidget(middle_);
    setMiddle(Middle::kGraph);
  });
  addAction(menu, "view.text", "&Text only", QKeySequence("Ctrl+2"), [this] {
    pages_->setCurrentWidget(middle_);
    setMiddle(Middle::kText);
  });
  addAction(menu, "view.both", "Graph and te&xt", QKeySequence("Ctrl+3"), [this] {
    pages_->setCurrentWidget(middle_);
    setMiddle(Middle::kBoth);
  });
  addAction(menu, "view.passes", "&Passes", QKeySequence("Ctrl+4"), [this] { showView("passes"); });
  addAction(menu, "view.overview", "&Overview", QKeySequence("Ctrl+6"), [this] { showView("overview"); });
  addAction(menu, "view.schedule", "&Schedule", QKeySequence("Ctrl+7"), [this] { showView("schedule"); });
  addAction(menu, "view.memory", "&Memory", QKeySequence("Ctrl+8"), [this] { showView("memory"); });
  addAction(menu, "view.thunks", "T&hunks", QKeySequence("Ctrl+9"), [this] { showView("thunks"); });
  addAction(menu, "view.file", "&File of the dump", QKeySequence("Ctrl+5"), [this] { showView("file"); });
  menu->addSeparator();
  for (QDockWidget* dock : docks_) {
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName("view." + dock->objectName());
    menu->addAction(toggle);
  }
  menu->addSeparator();
  addAction(menu, "view.fit", "&Fit graph", QKeySequence("Ctrl+0"), [this] { graph_->fit(); });
  const std::pair<const char*, TextForm> forms[] = {{"Text as &read", TextForm::AsRead},
                                                    {"Text &short", TextForm::Short},
                                                    {"Text &canonical", TextForm::Canonical}};
  QMenu* formMenu = menu->addMenu("Text fo&rm");
  auto* formGroup = new QActionGroup(text_);
  for (const auto& [title, form] : forms) {
    QAction* choice = addAction(formMenu, QString("view.textForm%1").arg(static_cast<int>(form)), title, {},
                                [this, form] { text_->setForm(form); });
    choice->setCheckable(true);
    choice->setChecked(form == text_->form());
    choice->setParent(text_);  // of the view it says something of, for controlValues()
    formGroup->addAction(choice);
  }
  QAction* facts = addAction(menu, "view.facts", "Facts beside the te&xt", QKeySequence("Ctrl+Shift+G"), {});
  facts->setCheckable(true);
  facts->setChecked(text_->factsShown());
  facts->setParent(text_);
  connect(facts, &QAction::toggled, this, [this](bool on) {
    text_->setFacts(on);
    setup_.settings.set("facts", on);
  });
  addAction(menu, "view.foldAll", "F&old all blocks of the text", QKeySequence("Ctrl+Shift+["),
            [this] { text_->text().setAllFolded(true); });
  addAction(menu, "view.unfoldAll", "&Unfold all", QKeySequence("Ctrl+Shift+]"),
            [this] { text_->text().setAllFolded(false); });
  menu->addSeparator();
  QAction* dark = addAction(menu, "view.dark", "&Dark theme", QKeySequence("Ctrl+Shift+D"), {});
  dark->setCheckable(true);
  connect(dark, &QAction::toggled, this, &MainWindow::setTheme);
  QAction* xla = addAction(menu, "view.xlaColours", "&XLA's graph colours", {}, {});
  xla->setCheckable(true);
  connect(xla, &QAction::toggled, this,
          [this](bool on) { setNodePalette(on ? NodePalette::kXla : NodePalette::kOpcodeClass); });
}

void MainWindow::buildModuleMenu() {
  QMenu* menu = menuBar()->addMenu("&Module");
  addAction(menu, "module.passes", "Run &passes...", QKeySequence("Ctrl+P"), [this] {
    showView("passes");
    passes_->askAndRun();
  });
  addAction(menu, "module.nextChange", "&Next change", QKeySequence("Alt+Down"),
            [this] { passes_->step(+1); });
  addAction(menu, "module.previousChange", "P&revious change", QKeySequence("Alt+Up"),
            [this] { passes_->step(-1); });
  addAction(menu, "module.diff", "Compare with &another module...", QKeySequence("Ctrl+Shift+C"),
            [this] { askWhatToCompare(); });
  menu->addSeparator();
  addAction(menu, "module.run", "&Run", QKeySequence("Ctrl+R"), [this] {
    showView("runs");
    runs_->run();
  });
  addAction(menu, "module.tune", "&Tune kernels...", {}, [this] { showView("tune"); });
  addAction(menu, "module.compare", "&Compare selected runs", QKeySequence("Ctrl+D"),
            [this] { runs_->compareSelected(); });
}

void MainWindow::buildHelpMenu() {
  QMenu* menu = menuBar()->addMenu("&Help");
  addAction(menu, "help.keys", "&Keyboard", QKeySequence("F1"), [this] { showShortcuts(); });
}

void MainWindow::buildToolBar() {
  QToolBar* bar = addToolBar("Tools");
  bar->setObjectName("toolBar");
  bar->setMovable(false);
  for (const char* name : {"go.back", "go.forward"}) bar->addAction(action(name));
  bar->addSeparator();
  for (const char* name : {"file.open", "go.palette", "go.search"}) bar->addAction(action(name));
  bar->addSeparator();
  for (const char* name :
       {"view.graph", "view.text", "view.both", "view.overview", "view.schedule", "view.passes"})
    bar->addAction(action(name));
  bar->addSeparator();
  for (const char* name : {"module.passes", "module.run"}) bar->addAction(action(name));
  for (QAction* shown : bar->actions()) {
    const QString keys = shown->shortcut().toString();
    if (!keys.isEmpty()) shown->setToolTip(shown->text().remove('&').remove("...") + " (" + keys + ")");
    shown->setIconText(shown->text().remove('&').remove("..."));
  }
  drawOverflowButton(*bar);
}

// What to open to see again what is shown: a .hilo file brings all that is in it.
QString MainWindow::shownPath() const {
  const Snapshot* snapshot = setup_.session.current();
  const Document* document = snapshot == nullptr ? nullptr : setup_.session.document(snapshot->document);
  if (document == nullptr) return {};
  return document->storedId == 0 ? document->path : setup_.session.filePath();
}

// The view with the focus; else the page in the middle, and of graph and text the window with both.
QString MainWindow::viewOnScreen() const {
  const QWidget* focused = QApplication::focusWidget();
  const auto holds = [&](const QWidget* each, const QWidget* what) {
    return what != nullptr && each != this && (each == what || each->isAncestorOf(what));
  };
  QString onPage = "window";
  auto* self = const_cast<MainWindow*>(this);
  for (const QString& name : viewNames()) {
    const QWidget* each = self->view(name);
    if (holds(each, focused)) return name;
    if (pages_->currentWidget() != middle_ && holds(each, pages_->currentWidget())) onPage = name;
  }
  return onPage;
}

void MainWindow::copyCommandLine() {
  const QString name = viewOnScreen();
  QWidget& shown = *view(name);
  ShownState state{.view = name,
                   .size = shown.size(),
                   .selected = selectedName(),
                   .query = search_->box().text().trimmed(),
                   .engine = runs_->engine(),
                   .arguments = runs_->arguments().text().trimmed(),
                   .repeat = runs_->repeat().value(),
                   .timeLimitSeconds = runs_->timeLimit().value(),
                   .memoryLimitGB = runs_->memoryLimit().value(),
                   .series = passes_->shownSeries(),
                   .step = static_cast<int>(passes_->strip().current()),
                   .sourceRoots = setup_.settings.get("sourceRoots").toStringList(),
                   .dark = action("view.dark")->isChecked()};
  const Snapshot* current = setup_.session.current();
  state.run = (name == "thunks" && thunks_->isMeasured()) ||
              (name == "tune" && tune_->rows().rowCount() > 0) ||
              (name == "values" && current != nullptr && current->values != nullptr);
  if (name == "file") state.query = QFileInfo(file_->path()).fileName();
  // The graph has words of its own for what was set in it.
  if (name == "graph" || name == "window") {
    state.graph = graph_->arrangement();
  } else {
    for (const QString& control : controlValues(shown)) {
      if (!untouched_[name].contains(control)) state.controls << control;
    }
  }
  const QString line = commandLineOf(setup_.session, state);
  QApplication::clipboard()->setText(line);
  statusBar()->showMessage(
      line.isEmpty() ? "No command shows this: it comes from no file, or was made here." : "Copied: " + line,
      kMessageMs);
}

void MainWindow::updateRecent() {
  recentMenu_->clear();
  const QStringList recent = setup_.settings.recent();
  welcome_->setRecent(recent);
  for (const QString& path : recent) {
    recentMenu_->addAction(path, this, [this, path] { openPath(path); });
  }
  recentMenu_->setEnabled(!recent.isEmpty());
}

void MainWindow::updateNavigation() {
  if (QAction* back = action("go.back")) back->setEnabled(history_.canGoBack());
  if (QAction* forward = action("go.forward")) forward->setEnabled(history_.canGoForward());
}

void MainWindow::askForFile() {
  auto* dialog = new QFileDialog(this, "Open a module");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  dialog->setNameFilters({"HLO (*.hlo *.txt *.pb *.pbtxt *.gz *.hilo)", "StableHLO (*.mlir *.mlirbc *.bc)",
                          "Programs, executables and thunks (*.program *.pb *.txtpb *.txt)",
                          "All files (*)"});
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
    for (const QString& path : paths) openPath(path);
  });
  dialog->open();
}

void MainWindow::askForSources() {
  auto* dialog = new QFileDialog(this, "Where your program lies");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
    setSourceRoots({folder});
    showView("source");
  });
  dialog->open();
}

void MainWindow::askForFolder() {
  auto* dialog = new QFileDialog(this, "Open a dump directory");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openPath);
  dialog->open();
}

// F6 goes around: tree, graph, text, inspector, the raised dock at the bottom.
void MainWindow::cycleDocks(int direction) {
  std::vector<QWidget*> stops;
  const auto add = [&](QWidget* stop) {
    if (stop->isVisible() && !stop->visibleRegion().isEmpty()) stops.push_back(stop);
  };
  add(view("tree"));
  add(view("graph"));
  add(view("text"));
  add(view("overview"));
  add(view("schedule"));
  add(view("memory"));
  add(view("thunks"));
  add(view("passes"));
  add(view("file"));
  for (const char* name :
       {"inspector", "source", "search", "problems", "bookmarks", "runs", "compare", "jobs"})
    add(view(name));
  if (stops.empty()) return;
  const QWidget* focused = QApplication::focusWidget();
  const auto holds = [&](const QWidget* stop) {
    return focused != nullptr && (stop == focused || stop->isAncestorOf(focused));
  };
  const auto at = std::ranges::find_if(stops, holds);
  const auto count = static_cast<int>(stops.size());
  const int from = at == stops.end() ? (direction > 0 ? -1 : 0) : static_cast<int>(at - stops.begin());
  QWidget* next = stops[static_cast<size_t>((from + direction + count) % count)];
  // The first thing in it that takes keys.
  QWidget* target = next;
  for (QWidget* child : next->findChildren<QWidget*>()) {
    if (target->focusPolicy() & Qt::TabFocus) break;
    if ((child->focusPolicy() & Qt::TabFocus) && child->isVisibleTo(next)) target = child;
  }
  target->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::showShortcuts() {
  QString rows;
  for (const QAction* a : findChildren<QAction*>(QRegularExpression("^[a-z]"))) {
    if (a->shortcut().isEmpty()) continue;
    rows += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(a->shortcut().toString(), a->text().remove('&').toHtmlEscaped());
  }
  rows += "<tr><td>n, p&nbsp;&nbsp;</td><td>in the pass strip: next and previous change</td></tr>";
  rows +=
      "<tr><td>arrows&nbsp;&nbsp;</td><td>in the schedule: along the lane, to operands and users</td></tr>";
  rows +=
      "<tr><td>Shift+arrows, P&nbsp;&nbsp;</td><td>in the schedule: move the instruction, hold it</td></tr>";
  rows +=
      "<tr><td>+, -, F, Z, X&nbsp;&nbsp;</td><td>in the schedule: zoom, all of it, the selection, the "
      "axis</td></tr>";
  rows += "<tr><td>Enter&nbsp;&nbsp;</td><td>in a list: go to what the row names</td></tr>";
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle("Keyboard");
  dialog->resize(460, 560);
  auto* text = new QTextBrowser(dialog);
  text->setAccessibleName("Keys");
  text->setHtml("<table>" + rows + "</table>");
  (new QVBoxLayout(dialog))->addWidget(text);
  dialog->open();
}

}  // namespace hilo
