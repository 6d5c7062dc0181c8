#include "ui/shell/main_window.h"

#include <QApplication>
#include <QChildEvent>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/shell/breadcrumb.h"
#include "ui/shell/caveat_banner.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/focus_frame.h"
#include "ui/shell/source_editor.h"
#include "ui/shell/view_picture.h"
#include "ui/shell/welcome_page.h"
#include "ui/shell/window_status.h"
#include "ui/style/theme.h"
#include "ui/views/graph/graph_area.h"
#include "ui/widgets/instruction_menu.h"
#include "ui/widgets/overflow_button.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/text_view.h"

namespace hilo {
namespace {

// Before anything is measured in its font.
WindowSetup themed(const WindowSetup& setup) {
  applyTheme(*qApp, setup.settings.get("dark", false).toBool() ? darkTheme() : lightTheme());
  return setup;
}

}  // namespace

MainWindow::MainWindow(const WindowSetup& setup)
    : setup_(themed(setup)),
      changes_(setup.session, this),
      bus_(this),
      context_{setup.session,
               changes_,
               bus_,
               setup.jobs,
               [this](QWidget* parent) { return makeTwoGraphs(setup_.session, setup_.jobs, parent); },
               setup.layoutFolder},
      welcome_(new WelcomePage(this)),
      centre_(new QStackedWidget(this)),
      body_(new QWidget(centre_)),
      places_(*this, *body_, context_),
      navigation_(*new Navigation(context_, this)),
      files_(*new WindowFiles(*this, context_, setup_.settings, places_, navigation_, setup_.openWindow)),
      menus_(*new WindowMenus(*this, setup_.settings, places_, files_, navigation_)) {
  setObjectName("studio");
  setWindowTitle("Hilo studio");
  setAcceptDrops(true);
  resize(1440, 900);
  buildCentre();
  status_ = new WindowStatus(*statusBar(), context_, places_.views());
  connectSession();
  connectParts();
  palette_ = new CommandPalette(
      context_, [this] { return paletteCommands(*this, setup_.settings); },
      [this](const QString& query) { bus_.ask(SearchFor{query}); }, this);
  new FocusFrame(*this);
  restoreState();
  // What was computed while docks and bars were added one after the other does not hold any more.
  setMinimumSize(0, 0);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre() {
  centre_->addWidget(welcome_);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new Breadcrumb(context_, body_));
  column->addWidget(new CaveatBanner(context_, places_.views(), body_));
  column->addWidget(&places_.pages(), 1);
  body_->resize(size());  // pictures are taken of pages that were never shown
  column->activate();
  centre_->addWidget(body_);
  setCentralWidget(centre_);
}

void MainWindow::connectSession() {
  connect(&changes_, &SessionChanges::currentChanged, this, &MainWindow::showCurrent);
  connect(&changes_, &SessionChanges::compiledShown, this, &MainWindow::showCompiled);
  connect(&changes_, &SessionChanges::failed, this, &MainWindow::showFailure);
  if (setup_.timing == nullptr) return;
  connect(&changes_, &SessionChanges::documentOpened, this,
          [this] { setup_.timing->reached("module read"); });
  connect(&view<GraphArea>(), &GraphArea::painted, this, [this] { setup_.timing->reached("graph painted"); });
}

void MainWindow::connectParts() {
  // Going back is no wish to see the module: what is in front shows the place.
  connect(&bus_, &SelectionBus::activated, this, [this] {
    if (!navigation_.isTravelling()) places_.showMiddle();
  });
  connect(&bus_, &SelectionBus::asked, this, [this](const ViewAsk& what) {
    if (const auto* asked = std::get_if<ShowView>(&what)) return showView(asked->name);
    if (const auto* asked = std::get_if<OpenSource>(&what)) return openSource(*asked);
    for (View* view : places_.views()) view->take(what);
  });
  const auto addMenu = [this](QMenu* menu) { addInstructionMenu(*menu, context_); };
  for (View* view : places_.views()) {
    connect(view, &View::said, this, &MainWindow::say);
    for (TableView* table : view->findChildren<TableView*>())
      connect(table, &TableView::menuAsked, this, addMenu);
    for (TextView* text : view->findChildren<TextView*>()) connect(text, &TextView::menuAsked, this, addMenu);
  }
  connect(welcome_, &WelcomePage::openAsked, &files_, &WindowFiles::open);
  connect(welcome_, &WelcomePage::openFileAsked, &files_, &WindowFiles::askForFile);
  connect(welcome_, &WelcomePage::openFolderAsked, &files_, &WindowFiles::askForFolder);
  connect(welcome_, &WelcomePage::reopenAsked, &files_, &WindowFiles::openLast);
  connect(&files_, &WindowFiles::busyChanged, welcome_, &WelcomePage::setBusy);
  connect(&files_, &WindowFiles::recentChanged, welcome_, &WelcomePage::setRecent);
  connect(&files_, &WindowFiles::said, this, &MainWindow::say);
  connect(&files_, &WindowFiles::titleChanged, this, &MainWindow::updateTitle);
  connect(&menus_, &WindowMenus::paletteAsked, this, [this] { palette_->open(); });
  connect(&menus_, &WindowMenus::commandLineAsked, this, &MainWindow::copyCommandLine);
  // Of the view on screen; of graph and text without the focus, of the whole window.
  connect(&menus_, &WindowMenus::pictureAsked, this, [this] {
    View* onScreen = places_.onScreen();
    const QString name = onScreen == nullptr ? QString("window") : onScreen->name();
    const QString said = exportPicture(*this, *drawn(name), name);
    if (!said.isEmpty()) say(said);
  });
  connect(&menus_, &WindowMenus::themeAsked, this, &MainWindow::setTheme);
}

void MainWindow::restoreState() {
  const StudioSettings& settings = setup_.settings;
  isPlaced_ = !settings.get("docks").toByteArray().isEmpty();
  setTheme(settings.get("dark", false).toBool());
  menus_.restore();
  setup_.session.setSourceRoots(stdList(settings.get("sourceRoots").toStringList()));
  restoreGeometry(settings.get("geometry").toByteArray());
  places_.restore(settings);
  welcome_->setLast(settings.get("open").toStringList());
  welcome_->setRecent(settings.recent());
}

QWidget* MainWindow::drawn(const QString& name) {
  return name == "window" ? this : static_cast<QWidget*>(view(name));
}

void MainWindow::showView(const QString& name) {
  View* shown = view(name);
  if (shown == nullptr) return;
  if (places_.pages().indexOf(shown) >= 0) centre_->setCurrentWidget(body_);
  places_.show(*shown);
}

bool MainWindow::goToName(const QString& name) {
  if (navigation_.goToName(name)) return true;
  return setup_.session.shownCompiled() != nullptr &&
         std::ranges::any_of(places_.views(), [&](View* view) { return view->goTo(name); });
}

void MainWindow::say(const QString& text) { status_->say(text); }

void MainWindow::openSource(const OpenSource& asked) {
  const Status opened =
      openInEditor(setup_.session, setup_.settings.get("editor").toString(), asked.file, asked.line);
  if (!opened) say(lineOf(opened.error()));
}

void MainWindow::showCentre() {
  const bool isEmpty = setup_.session.documents().empty();
  centre_->setCurrentWidget(isEmpty ? static_cast<QWidget*>(welcome_) : body_);
  status_->update();
  updateTitle();
}

void MainWindow::showCurrent(SnapshotId id) {
  const Snapshot* snapshot = setup_.session.snapshot(id);
  showCentre();
  if (snapshot == nullptr) return;
  const Document* document = setup_.session.document(snapshot->document);
  // The same instruction in another snapshot of the same pipeline stays selected; else what was selected the
  // last time this file was open.
  if (bus_.selected().snapshot == id) return;
  Selection selection{snapshot->document, id, {}, {}};
  if (document != nullptr) {
    const Selection last = findByName(setup_.session, files_.takeWantedName(*document));
    if (!last.empty()) selection = last;
  }
  bus_.activate(selection);
}

// Of one there are thunks alone.
void MainWindow::showCompiled() {
  showCentre();
  if (setup_.session.shownCompiled() != nullptr) showView("thunks");
}

void MainWindow::updateTitle() {
  const Session& session = setup_.session;
  const Snapshot* snapshot = session.current();
  QStringList parts;
  if (const std::string& path = session.file().path(); !path.empty())
    parts << QFileInfo(qs(path)).fileName() + "[*]";
  if (const Document* compiled = session.shownCompiled()) {
    parts << qs(compiled->title);
  } else if (snapshot != nullptr) {
    const Document* document = session.document(snapshot->document);
    parts << qs(document == nullptr ? snapshot->title : document->title);
  }
  parts << "Hilo studio";
  setWindowTitle(parts.join(" - "));
  setWindowModified(session.file().isModified());
}

void MainWindow::showFailure(const QString& what, const Diagnostic& why) {
  QString text = what + ": " + qs(why.message);
  if (!why.notes.empty()) text += " (" + qs(why.notes.front()) + ")";
  say(text);
  welcome_->setBusy({});
  showView("problems");
}

// Of the view on screen; of graph and text without the focus, of the window with both.
void MainWindow::copyCommandLine() {
  const View* onScreen = places_.onScreen();
  ShownState state{.view = onScreen == nullptr ? QString("window") : onScreen->name(),
                   .size = onScreen == nullptr ? size() : onScreen->size(),
                   .selected = navigation_.selectedName(),
                   .sourceRoots = setup_.settings.get("sourceRoots").toStringList(),
                   .dark = action("view.dark")->isChecked()};
  if (onScreen == nullptr) state.options = view<GraphArea>().pictureOptions();
  const QString line =
      onScreen == nullptr ? pictureCommand(setup_.session, state) : onScreen->commandLine(state);
  QApplication::clipboard()->setText(line);
  say(line.isEmpty() ? "No command shows this: it comes from no file, or was made here." : "Copied: " + line);
}

bool MainWindow::idle() const {
  for (const JobInfo& job : setup_.jobs.jobs()) {
    if (job.state == JobState::Queued || job.state == JobState::Running) return false;
  }
  return !setup_.session.busy() && setup_.session.isShown() &&
         std::ranges::all_of(places_.views(), &View::isSettled);
}

void MainWindow::setTheme(bool dark) {
  applyTheme(*qApp, dark ? darkTheme() : lightTheme());
  setup_.settings.set("dark", dark);
  action("view.dark")->setChecked(dark);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (const QToolBar* bar : findChildren<QToolBar*>(Qt::FindDirectChildrenOnly)) drawOverflowButton(*bar);
}

// Before the window is shown: what it holds side by side says how narrow it can be.
void MainWindow::setVisible(bool visible) {
  if (visible && !isPlaced_) places_.useWidth(width());
  QMainWindow::setVisible(visible);
}

// Sizes of docks hold only once the window has its own.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!isPlaced_) places_.sizeDocks();
  isPlaced_ = true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  setup_.settings.set("geometry", saveGeometry());
  places_.save(setup_.settings);
  files_.keepSelection();
  if (const Status kept = files_.keepNow(); !kept) statusBar()->showMessage(qs(kept.error().message));
  QMainWindow::closeEvent(event);
  Q_EMIT closed();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) files_.open(url.toLocalFile());
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
  if (isPlaced_) places_.useWidth(width());
  if (palette_ != nullptr && palette_->isVisible()) palette_->open();
}

// The side buttons of a mouse go back and forward, as in a browser.
void MainWindow::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::BackButton) return navigation_.goBack();
  if (event->button() == Qt::ForwardButton) return navigation_.goForward();
  QMainWindow::mousePressEvent(event);
}

}  // namespace hilo
