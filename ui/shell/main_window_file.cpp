// The window's part in .hilo files: saving, and keeping what the window shows as it changes.
#include <QFileDialog>
#include <QFileInfo>
#include <QStatusBar>

#include "ui/models/text_of.h"
#include "ui/shell/main_window.h"
#include "ui/views/search/search_view.h"

namespace hilo {
namespace {
constexpr int kMessageMs = 8000;
// Typing a query or walking with the arrows writes once.
constexpr int kKeepAfterMs = 700;
constexpr const char* kEnding = ".hilo";
}  // namespace

void MainWindow::connectFile() {
  Session& session = setup_.session;
  keepTimer_.setSingleShot(true);
  keepTimer_.setInterval(kKeepAfterMs);
  connect(&keepTimer_, &QTimer::timeout, this, [this] { setup_.session.keepViewState(viewState()); });
  const auto changed = [this] {
    if (!setup_.session.filePath().isEmpty()) keepTimer_.start();
  };
  connect(&bus_, &SelectionBus::selectionChanged, this, changed);
  connect(&search_->box(), &QLineEdit::textChanged, this, changed);
  connect(pages_, &QTabWidget::currentChanged, this, changed);
  connect(&session, &Session::fileOpened, this, &MainWindow::showViewState);
  connect(&session, &Session::saved, this, [this] {
    setup_.settings.addRecent(setup_.session.filePath());
    updateRecent();
    updateTitle();
    statusBar()->showMessage("Saved " + setup_.session.filePath(), kMessageMs);
  });
  // What passes made is not to be had again from a file: it is kept at once.
  connect(&session, &Session::seriesAdded, this, [this](SeriesId id) {
    const SeriesEntry* added = setup_.session.series(id);
    if (!setup_.session.filePath().isEmpty() && added->origin.valid() && added->storedId == 0) save();
    updateTitle();
  });
  connect(&session, &Session::documentClosed, this, &MainWindow::updateTitle);
}

ViewState MainWindow::viewState() const {
  const Session& session = setup_.session;
  ViewState state{{"selected", toStd(selectedName())},
                  {"page", std::to_string(pages_->currentIndex())},
                  {"query", toStd(search_->box().text())}};
  const Snapshot* current = session.current();
  size_t item = 0;  // of the file, which holds what has modules
  for (const auto& document : session.documents()) {
    if (current != nullptr && document->id == current->document) state["document"] = std::to_string(item);
    item += document->isCompiled() ? 0 : 1;
  }
  return state;
}

void MainWindow::showViewState(const ViewState& state) {
  const auto valueOf = [&](const char* key) {
    const auto found = state.find(key);
    return found == state.end() ? QString() : qs(found->second);
  };
  const int page = valueOf("page").toInt();
  if (page >= 0 && page < pages_->count()) pages_->setCurrentIndex(page);
  if (const QString query = valueOf("query"); !query.isEmpty()) search_->search(query);
  wantedSelection_ = valueOf("selected");
  // A stage of a dump is still to be read: showCurrent() goes there then.
  if (setup_.session.current() != nullptr && goToName(wantedSelection_)) wantedSelection_.clear();
  pages_->setCurrentIndex(page);
  updateTitle();
}

void MainWindow::save() {
  if (setup_.session.filePath().isEmpty()) return askWhereToSave();
  setup_.session.saveAs(setup_.session.filePath(), viewState());
}

void MainWindow::saveAs(const QString& path) {
  setup_.session.saveAs(path.endsWith(kEnding) ? path : path + kEnding, viewState());
}

void MainWindow::askWhereToSave() {
  if (setup_.session.documents().empty()) {
    statusBar()->showMessage("There is nothing to save: open a module first.", kMessageMs);
    return;
  }
  const QFileInfo first(setup_.session.documents().front()->sourcePath);
  auto* dialog = new QFileDialog(this, "Save all that is open as one file", first.path());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter("Hilo document (*.hilo)");
  dialog->setDefaultSuffix("hilo");
  dialog->selectFile(first.completeBaseName() + kEnding);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::saveAs);
  dialog->open();
}

void MainWindow::updateTitle() {
  const Snapshot* snapshot = setup_.session.current();
  const QString& file = setup_.session.filePath();
  QStringList parts;
  if (!file.isEmpty()) parts << QFileInfo(file).fileName() + "[*]";
  if (const Document* compiled = setup_.session.shownCompiled()) {
    parts << compiled->title;
  } else if (snapshot != nullptr) {
    const Document* document = setup_.session.document(snapshot->document);
    parts << (document == nullptr ? snapshot->title : document->title);
  }
  parts << "Hilo studio";
  setWindowTitle(parts.join(" - "));
  setWindowModified(setup_.session.isModified());
}

}  // namespace hilo
