#include "ui/shell/window_files.h"

#include <QFileDialog>
#include <QFileInfo>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// Typing a query or walking with the arrows writes once.
constexpr int kKeepAfterMs = 700;
constexpr const char* kEnding = ".hilo";

QFileDialog* makeDialog(QWidget& window, const QString& title) {
  auto* dialog = new QFileDialog(&window, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  return dialog;
}

// What to open to see the document again: a .hilo file brings all that is in it.
QString pathOf(const Document& document, const Session& session) {
  return qs(document.storedId == 0 ? document.path : session.file().path());
}

QFileDialog* makeFolderDialog(QWidget& window, const QString& title) {
  QFileDialog* dialog = makeDialog(window, title);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  return dialog;
}

}  // namespace

WindowFiles::WindowFiles(QMainWindow& window, const ViewContext& context, StudioSettings& settings,
                         ViewPlaces& places, Navigation& navigation, OpenWindow openWindow)
    : QObject(&window),
      window_(window),
      context_(context),
      settings_(settings),
      places_(places),
      navigation_(navigation),
      openWindow_(std::move(openWindow)) {
  connectFile();
}

void WindowFiles::connectFile() {
  SessionChanges& changes = context_.changes;
  connect(&changes, &SessionChanges::documentOpened, this, &WindowFiles::noteOpened);
  keepTimer_.setSingleShot(true);
  keepTimer_.setInterval(kKeepAfterMs);
  connect(&keepTimer_, &QTimer::timeout, this,
          [this] { context_.session.file().keepViewState(viewState()); });
  const auto changed = [this] {
    if (!context_.session.file().path().empty()) keepTimer_.start();
  };
  connect(&context_.bus, &SelectionBus::selectionChanged, this, changed);
  for (View* view : places_.views()) connect(view, &View::stateChanged, this, changed);
  connect(&places_.pages(), &QTabWidget::currentChanged, this, changed);
  connect(&changes, &SessionChanges::fileOpened, this, &WindowFiles::showViewState);
  connect(&changes, &SessionChanges::saved, this, [this] {
    settings_.addRecent(qs(context_.session.file().path()));
    Q_EMIT recentChanged(settings_.recent());
    Q_EMIT titleChanged();
    Q_EMIT said("Saved " + qs(context_.session.file().path()));
  });
  // What passes made is not to be had again from a file: it is kept at once.
  connect(&changes, &SessionChanges::seriesAdded, this, [this](SeriesId id) {
    const SeriesEntry* added = context_.session.series(id);
    if (!context_.session.file().path().empty() && added->origin.valid() && added->storedId == 0) save();
    Q_EMIT titleChanged();
  });
  connect(&changes, &SessionChanges::documentClosed, this, &WindowFiles::titleChanged);
}

// As it changes, not when the window closes: a program that is killed comes back to it too.
void WindowFiles::noteOpened(DocumentId id) {
  const Session& session = context_.session;
  const Document* document = session.document(id);
  settings_.addRecent(pathOf(*document, session));
  Q_EMIT recentChanged(settings_.recent());
  QStringList open;
  for (const auto& each : session.documents()) {
    open << QFileInfo(pathOf(*each, session)).absoluteFilePath();
  }
  open.removeDuplicates();
  settings_.set("open", open);
  Q_EMIT busyChanged({});
}

void WindowFiles::open(const QString& path) {
  const Session& session = context_.session;
  const bool replaces =
      !session.documents().empty() && path.endsWith(kEnding) && path != qs(session.file().path());
  if (replaces && openWindow_) return openWindow_({path});
  Q_EMIT busyChanged(QFileInfo(path).fileName());
  context_.session.open(toStd(path));
}

void WindowFiles::openLast() {
  for (const QString& path : settings_.get("open").toStringList()) open(path);
}

void WindowFiles::openShownInNewWindow() {
  const QString path = shownPath();
  openWindow_(path.isEmpty() ? QStringList() : QStringList{path});
}

void WindowFiles::reload() {
  if (const QString path = shownPath(); !path.isEmpty()) open(path);
}

void WindowFiles::closeDocument() {
  if (const Snapshot* snapshot = context_.session.current()) context_.session.close(snapshot->document);
}

QString WindowFiles::shownPath() const {
  const Session& session = context_.session;
  const Snapshot* snapshot = session.current();
  const Document* document = snapshot == nullptr ? nullptr : session.document(snapshot->document);
  if (document == nullptr) return {};
  return pathOf(*document, session);
}

ViewState WindowFiles::viewState() const {
  const Session& session = context_.session;
  ViewState state{{"selected", toStd(navigation_.selectedName())},
                  {"page", std::to_string(places_.pages().currentIndex())}};
  for (const View* view : places_.views()) view->addState(state);
  const Snapshot* current = session.current();
  size_t item = 0;  // of the file, which holds what has modules
  for (const auto& document : session.documents()) {
    if (current != nullptr && document->id == current->document) state["document"] = std::to_string(item);
    item += document->isCompiled() ? 0 : 1;
  }
  return state;
}

void WindowFiles::showViewState(const ViewState& state) {
  const auto valueOf = [&](const char* key) {
    const auto found = state.find(key);
    return found == state.end() ? QString() : qs(found->second);
  };
  QTabWidget& pages = places_.pages();
  const int page = valueOf("page").toInt();
  if (page >= 0 && page < pages.count()) pages.setCurrentIndex(page);
  for (View* view : places_.views()) view->showState(state);
  wantedName_ = valueOf("selected");
  // A stage of a dump is still to be read: it is gone to when it is current.
  if (context_.session.current() != nullptr && navigation_.goToName(wantedName_)) wantedName_.clear();
  pages.setCurrentIndex(page);
  Q_EMIT titleChanged();
}

QString WindowFiles::takeWantedName(const Document& document) {
  return wantedName_.isEmpty() ? settings_.lastSelection(qs(document.path)) : std::exchange(wantedName_, {});
}

void WindowFiles::keepSelection() {
  const Snapshot* snapshot = snapshotFor(context_.session, context_.bus.selected());
  const Document* document = snapshot == nullptr ? nullptr : context_.session.document(snapshot->document);
  if (document != nullptr) settings_.setLastSelection(qs(document->path), navigation_.selectedName());
}

Status WindowFiles::keepNow() {
  if (!keepTimer_.isActive()) return {};
  keepTimer_.stop();
  return saveViewState(context_.session.file().path(), viewState());
}

void WindowFiles::save() {
  const std::string& path = context_.session.file().path();
  if (path.empty()) return askWhereToSave();
  context_.session.file().saveAs(path, viewState());
}

void WindowFiles::saveAs(const QString& path) {
  context_.session.file().saveAs(toStd(path.endsWith(kEnding) ? path : path + kEnding), viewState());
}

void WindowFiles::setSourceRoots(const QStringList& folders) {
  settings_.set("sourceRoots", folders);
  context_.session.setSourceRoots(stdList(folders));
}

void WindowFiles::askWhereToSave() {
  if (context_.session.documents().empty()) return said("There is nothing to save: open a module first.");
  const QFileInfo first(qs(context_.session.documents().front()->sourcePath));
  QFileDialog* dialog = makeDialog(window_, "Save all that is open as one file");
  dialog->setDirectory(first.path());
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter("Hilo document (*.hilo)");
  dialog->setDefaultSuffix("hilo");
  dialog->selectFile(first.completeBaseName() + kEnding);
  connect(dialog, &QFileDialog::fileSelected, this, &WindowFiles::saveAs);
  dialog->open();
}

void WindowFiles::askForFile() {
  QFileDialog* dialog = makeDialog(window_, "Open a module");
  dialog->setFileMode(QFileDialog::ExistingFiles);
  dialog->setNameFilters({"HLO (*.hlo *.txt *.pb *.pbtxt *.gz *.hilo)", "StableHLO (*.mlir *.mlirbc *.bc)",
                          "Programs, executables and thunks (*.program *.pb *.txtpb *.txt)",
                          "All files (*)"});
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
    for (const QString& path : paths) open(path);
  });
  dialog->open();
}

void WindowFiles::askForSources() {
  QFileDialog* dialog = makeFolderDialog(window_, "Where your program lies");
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
    setSourceRoots({folder});
    context_.bus.ask(ShowView{"source"});
  });
  dialog->open();
}

void WindowFiles::askForFolder() {
  QFileDialog* dialog = makeFolderDialog(window_, "Open a dump directory");
  connect(dialog, &QFileDialog::fileSelected, this, &WindowFiles::open);
  dialog->open();
}

}  // namespace hilo
