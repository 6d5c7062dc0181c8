// Bookmarks of the module that is shown, each with a note: kept in the store, so that they are there the next
// time the module is opened, under whatever path. Enter goes there, Del removes.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

#include "core/workspace/store.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/table_view.h"

namespace hilo {

// A bookmark and what it names in the module that is shown; `what` is empty when it names nothing there.
struct BookmarkRow {
  Bookmark bookmark;
  QString what;
};

class BookmarksView : public QWidget {
  Q_OBJECT

 public:
  explicit BookmarksView(const ViewContext& context, QWidget* parent = nullptr);
  // Bookmarks what is selected, or takes its bookmark away.
  void toggle();
  TableView& table() { return *table_; }
  QLineEdit& note() { return *note_; }
  const TableModel<BookmarkRow>& model() const { return model_; }

 private:
  using Change = std::function<Status(RunStore&, uint64_t moduleHash)>;

  void refresh();
  // Changes the store in a job and lists anew.
  void change(const std::string& title, Change change);
  void show(std::vector<Bookmark> bookmarks);
  void saveNote();
  void removeSelected();
  void go(const QModelIndex& index);
  const Bookmark* selected() const;

  ViewContext context_;
  JobScope scope_;
  // Opened by the first job that needs it; jobs use it one at a time.
  struct Slot;
  std::shared_ptr<Slot> slot_;
  SnapshotId shown_;
  TableView* table_;
  QLineEdit* note_;
  TableModel<BookmarkRow> model_;
};

}  // namespace hilo
