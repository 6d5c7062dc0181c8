// What the order of arrays in memory costs: copies and transposes with who gives and who wants which order,
// the layouts of the values between as stripes, where each element of one lies, the padding of tiles, and
// layouts to try, each laid out again and held against the one before.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>

#include "ui/views/layouts/array_drawing.h"
#include "ui/views/layouts/layout_panel.h"
#include "ui/views/layouts/layout_rows.h"
#include "ui/views/layouts/layout_stripes.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class LayoutsView : public View {
  Q_OBJECT

 public:
  explicit LayoutsView(const ViewContext& context, QWidget* parent = nullptr);

  QString head() const { return head_->text(); }
  LayoutPanel& panel() { return *panel_; }
  LayoutStripes& stripes() { return *stripes_; }
  ArrayDrawing& drawing() { return *drawing_; }
  QPushButton& undoButton() { return *undo_; }
  const TableModel<LayoutRow>& moves() const { return moves_; }
  // What is shown; null: nothing.
  const std::shared_ptr<const LayoutStudy>& study() const { return shown_; }
  // Lays out again with one more layout.
  void tryConstraint(const LayoutConstraint& constraint);

  bool isSettled() const override { return !asked_.valid() || shown_ != nullptr || !isVisible(); }
  bool goTo(const QString& name) override;
  QString commandLine(ShownState state) const override;
  // --query names a copy or transpose; --run tries the first layout that is advised against it.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  QWidget* buildSide();
  void buildTables();
  void refresh();
  void clear(const QString& text);
  void noteReady(SnapshotId id, ResultKind kind);
  void show(std::shared_ptr<const LayoutStudy> study);
  void showHead();
  void showRow(const LayoutRow& row);
  void showPadded(const PaddedArray& row);
  void showLink(int line);
  void showMark();
  void undo();
  void follow(const Selection& selection);
  void select(const std::string& name);

  JobScope scope_;
  SnapshotId subject_;                                     // whose layouts are shown
  SnapshotId asked_;                                       // whose result is on its way or here
  bool telling_ = false;                                   // the selection on the bus is our own
  std::shared_ptr<const LayoutStudy> first_;               // as it is
  std::shared_ptr<const LayoutStudy> plain_;               // what is tried on, laid out without constraints
  std::vector<std::shared_ptr<const LayoutStudy>> tried_;  // each with one more
  std::shared_ptr<const LayoutStudy> shown_;

  QLabel* head_;
  QPushButton* undo_;
  QLineEdit* byte_;
  QLabel* mark_;
  JobProgress* progress_;
  MessageLine* message_;
  QSplitter* split_;
  QTabWidget* tables_;
  LayoutStripes* stripes_;
  ArrayDrawing* drawing_;
  LayoutPanel* panel_;
  TableModel<LayoutRow> moves_;
  TableModel<PaddedArray> padded_;
};

}  // namespace hilo
