#include "ui/views/bookmarks/bookmarks_view.h"

#include <QAction>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

BookmarksView::BookmarksView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      model_(
          {{"name", [](const BookmarkRow& r) { return qs(r.bookmark.name); }},
           {"what",
            [](const BookmarkRow& r) { return r.what.isEmpty() ? QString("not in this module") : r.what; }},
           {"note", [](const BookmarkRow& r) { return qs(r.bookmark.note); }}}) {
  addMenuAction("Go", "go.bookmark", "&Bookmark selection", QKeySequence("Ctrl+B"),
                [this] { take(BookmarkSelected{}); });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  table_ = new TableView(this);
  table_->setAccessibleName("Bookmarks");
  table_->setModel(&model_);
  table_->setColumnWidths({28, 40, 60});
  table_->setEmptyText(
      "No bookmarks in this module.\nCtrl+B bookmarks the selection; a note can be written below the "
      "list.");
  model_.setForeground([this](const BookmarkRow& row) -> QVariant {
    return row.what.isEmpty() ? QVariant(themeOf(*this).colour(ColourRole::kTextFaint)) : QVariant();
  });
  note_ = new QLineEdit(this);
  note_->setPlaceholderText("Note of the selected bookmark; Enter keeps it");
  note_->setAccessibleName("Note");
  note_->setEnabled(false);
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_, 1);
  column->addWidget(note_);
  buildNotes();
  auto* both = new QSplitter(this);
  both->addWidget(left);
  both->addWidget(moduleNote_);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 2);
  layout->addWidget(both);
  auto* remove = new QAction("Remove", table_);
  remove->setShortcut(Qt::Key_Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  table_->addAction(remove);
  connect(remove, &QAction::triggered, this, &BookmarksView::removeSelected);
  connect(table_, &TableView::currentRowChanged, this, [this] {
    const Bookmark* bookmark = selected();
    note_->setEnabled(bookmark != nullptr);
    note_->setText(bookmark == nullptr ? QString() : qs(bookmark->note));
  });
  connect(table_, &QAbstractItemView::activated, this, &BookmarksView::go);
  connect(note_, &QLineEdit::returnPressed, this, &BookmarksView::saveNote);
  connect(&context_.changes, &SessionChanges::currentShown, this, &BookmarksView::refresh);
  connect(&context_.changes, &SessionChanges::storeChanged, this, &BookmarksView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
}

void BookmarksView::take(const ViewAsk& what) {
  if (!std::holds_alternative<BookmarkSelected>(what)) return;
  comeToFront();
  toggle();
}

const Bookmark* BookmarksView::selected() const {
  const BookmarkRow* row = model_.rowAt(table_->currentIndex());
  return row == nullptr ? nullptr : &row->bookmark;
}

void BookmarksView::refresh() {
  change("List bookmarks", [](RunStore&, uint64_t) -> Status { return {}; });
}

void BookmarksView::change(const std::string& title, Change change) {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return show({});
  context_.jobs.submit(
      "", title,
      [shared = context_.session.file().store(), module = snapshot->module,
       change](JobContext&) -> Result<Kept> {
        const uint64_t hash = moduleHash(*module);
        TRY(const auto store, shared->get());
        TRY_STATUS(change(*store, hash));
        Kept kept;
        TRY(kept.bookmarks, store->bookmarksOf(hash));
        TRY(kept.note, store->noteOf(hash));
        return kept;
      },
      [this, id = snapshot->id](Result<Kept> kept) {
        const Snapshot* now = context_.session.current();
        if (now == nullptr || now->id != id) return;
        if (!kept) {
          Q_EMIT context_.changes.failed("The bookmarks could not be kept", kept.error());
          return;
        }
        shown_ = id;
        show(*std::move(kept));
      },
      &scope_);
}

void BookmarksView::show(Kept kept) {
  const Snapshot* snapshot = context_.session.current();
  std::vector<BookmarkRow> rows;
  for (Bookmark& bookmark : kept.bookmarks) {
    BookmarkRow row{std::move(bookmark), {}};
    const Selection place = findByName(context_.session, qs(row.bookmark.name));
    if (snapshot != nullptr && place.instruction.valid()) {
      const Instruction* i = instructionOf(*snapshot->module, place);
      row.what =
          QString("%1 %2 in %3").arg(qs(i->opcodeText()), shapeText(i->shape()), qs(i->parent().name()));
    } else if (snapshot != nullptr && place.computation.valid()) {
      row.what = "computation of " +
                 countOf(snapshot->module->computation(place.computation)->instructionCount(), "instruction");
    }
    rows.push_back(std::move(row));
  }
  model_.setRows(std::move(rows));
  moduleNote_->setEnabled(snapshot != nullptr);
  // What is being written stays; the store has it in a moment.
  if (writing_.isActive() || qs(kept.note) == moduleNote_->toPlainText()) return;
  const QSignalBlocker quiet(moduleNote_);
  moduleNote_->setPlainText(qs(kept.note));
}

void BookmarksView::buildNotes() {
  constexpr int kWrittenAfterMs = 600;
  moduleNote_ = new QPlainTextEdit(this);
  moduleNote_->setPlaceholderText("Notes on this module: kept as you write");
  moduleNote_->setAccessibleName("Notes on this module");
  moduleNote_->setTabChangesFocus(true);
  moduleNote_->setEnabled(false);
  writing_.setSingleShot(true);
  writing_.setInterval(kWrittenAfterMs);
  connect(moduleNote_, &QPlainTextEdit::textChanged, this, [this] {
    const Snapshot* snapshot = context_.session.current();
    if (snapshot != nullptr) writtenOn_ = snapshot->module;
    writing_.start();
  });
  connect(&writing_, &QTimer::timeout, this, &BookmarksView::saveModuleNote);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    writing_.stop();
    saveModuleNote();
  });
}

void BookmarksView::saveModuleNote() {
  const auto module = std::exchange(writtenOn_, nullptr);
  if (module == nullptr) return;
  context_.jobs.submit(
      "", "Keep a note",
      [shared = context_.session.file().store(), module,
       text = toStd(moduleNote_->toPlainText())](JobContext&) -> Status {
        TRY(const auto store, shared->get());
        return store->setNote(moduleHash(*module), std::string(module->name()), text);
      },
      [this](Status kept) {
        if (!kept) Q_EMIT context_.changes.failed("The note could not be kept", kept.error());
      },
      &scope_);
}

void BookmarksView::toggle() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  const Selection& place = context_.bus.selected();
  const Instruction* i = instructionOf(*snapshot->module, place);
  const Computation* c = computationOf(*snapshot->module, place);
  if (i == nullptr && c == nullptr) return;
  const std::string name(i != nullptr ? i->name() : c->name());
  for (const BookmarkRow& row : model_.rows()) {
    if (row.bookmark.name != name) continue;
    return change("Remove a bookmark",
                  [name](RunStore& store, uint64_t hash) { return store.removeBookmark(hash, name); });
  }
  const std::string module(snapshot->module->name());
  const auto keep = [name, module](RunStore& store, uint64_t hash) -> Status {
    return store.keep({hash, module, name, ""});
  };
  change("Keep a bookmark", keep);
}

void BookmarksView::saveNote() {
  const Bookmark* bookmark = selected();
  if (bookmark == nullptr) return;
  change("Keep a note",
         [changed = *bookmark, note = toStd(note_->text())](RunStore& store, uint64_t) mutable {
           changed.note = note;
           return store.keep(changed);
         });
}

void BookmarksView::removeSelected() {
  const Bookmark* bookmark = selected();
  if (bookmark == nullptr) return;
  change("Remove a bookmark", [name = bookmark->name](RunStore& store, uint64_t hash) {
    return store.removeBookmark(hash, name);
  });
}

void BookmarksView::go(const QModelIndex& index) {
  const BookmarkRow* row = model_.rowAt(index);
  const Selection place = row == nullptr ? Selection{} : findByName(context_.session, qs(row->bookmark.name));
  if (!place.empty()) context_.bus.activate(place);
}

std::vector<PaletteCommand> BookmarksView::paletteCommands() {
  std::vector<PaletteCommand> commands;
  for (const BookmarkRow& row : model_.rows()) {
    const QString name = qs(row.bookmark.name);
    commands.push_back({"Bookmark " + name, qs(row.bookmark.note), [this, name] {
                          const Selection found = findByName(context_.session, name);
                          if (!found.empty()) context_.bus.activate(found);
                        }});
  }
  return commands;
}

View* makeBookmarksView(const ViewContext& context) { return new BookmarksView(context); }

}  // namespace hilo
