// What a compiled module runs: thunks as a graph of what must wait for what, and as a table, with the time
// each takes, the bytes it reads and writes, and the code of its kernel. Follows the session's current
// module: of a dump with a thunk sequence XLA's own thunks are shown; else the module is compiled when asked.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QWidget>

#include "core/workspace/thunk_study.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/table_view.h"

class QPlainTextEdit;

namespace hilo {

struct ThunkTableRow {
  uint32_t thunk = 0;
  StudiedThunk facts;
};

class ThunksView : public QWidget {
  Q_OBJECT

 public:
  explicit ThunksView(const ViewContext& context, QWidget* parent = nullptr);

  // Compiles and times the current module; answered later.
  void compile();
  CanvasWidget& canvas() { return *canvas_; }
  TableView& table() { return *table_; }
  const TableModel<ThunkTableRow>& rows() const { return model_; }
  QPushButton& compileButton() { return *compile_; }
  QString head() const { return head_->text(); }
  QString kernelCode() const;
  QString uses() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Drawn {
    ThunkStudy study;
    std::shared_ptr<const IndexedScene> scene;
  };
  void refresh();
  void ask(const QString& title, std::function<Result<ThunkStudy>(const JobContext&)> make);
  void show(SnapshotId of, std::shared_ptr<const Drawn> drawn);
  void clear(const QString& text);
  void select(uint32_t thunk, bool tell);
  void showDetails(uint32_t thunk);
  void follow(const Selection& selection);

  ViewContext context_;
  JobScope scope_;
  SnapshotId shown_;
  std::shared_ptr<const Drawn> drawn_;
  uint32_t selected_ = StudiedThunk::kNone;
  bool telling_ = false;
  TableModel<ThunkTableRow> model_;
  QLabel* head_;
  QPushButton* compile_;
  CanvasWidget* canvas_;
  TableView* table_;
  QTabWidget* details_;
  QPlainTextEdit* uses_;
  QPlainTextEdit* kernel_;
};

}  // namespace hilo
