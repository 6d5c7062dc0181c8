// Bookmarks of the module that is shown, each with a note: kept in the store, so that they are there the next
// time the module is opened, under whatever path. Enter goes there, Del removes. Below them, notes on the
// module itself, kept as they are written.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTimer>
#include <QWidget>

#include "core/workspace/store/store.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

// A bookmark and what it names in the module that is shown; `what` is empty when it names nothing there.
struct BookmarkRow {
  Bookmark bookmark;
  QString what;
};

class BookmarksView : public View {
  Q_OBJECT

 public:
  explicit BookmarksView(const ViewContext& context, QWidget* parent = nullptr);
  void take(const ViewAsk& what) override;
  // Bookmarks what is selected, or takes its bookmark away.
  void toggle();
  TableView& table() { return *table_; }
  QLineEdit& note() { return *note_; }
  QPlainTextEdit& moduleNote() { return *moduleNote_; }
  const TableModel<BookmarkRow>& model() const { return model_; }
  std::vector<PaletteCommand> paletteCommands() override;

 private:
  using Change = std::function<Status(RunStore&, uint64_t moduleHash)>;

  void refresh();
  // Changes the store in a job and lists anew.
  void change(const std::string& title, Change change);
  // What the store has about one module.
  struct Kept {
    std::vector<Bookmark> bookmarks;
    std::string note;
  };
  void show(Kept kept);
  void buildNotes();
  void saveModuleNote();
  void saveNote();
  void removeSelected();
  void go(const QModelIndex& index);
  const Bookmark* selected() const;

  JobScope scope_;
  SnapshotId shown_;
  TableView* table_;
  QLineEdit* note_;
  QPlainTextEdit* moduleNote_;
  std::shared_ptr<const Module> writtenOn_;  // the module of a note that is not kept yet
  QTimer writing_;                           // runs from the last key to when the module's note is kept
  TableModel<BookmarkRow> model_;
};

}  // namespace hilo
