// The module that a search ended at, made small: moves tried, size over time, each step to look at, and the
// result as one file with arguments and expected values.
#pragma once

#include <QPushButton>
#include <QWidget>

#include "core/workspace/watch/watch.h"
#include "ui/models/view_context.h"
#include "ui/views/bisect/bisect_rows.h"
#include "ui/views/bisect/mailbox.h"
#include "ui/views/bisect/size_chart.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class ReducePane : public QWidget {
  Q_OBJECT

 public:
  explicit ReducePane(const ViewContext& context, QWidget* parent = nullptr);

  // What there is to reduce, from the module that passes break; `options` are those of the search. Null:
  // nothing, for the reason `why`.
  void setRequest(std::shared_ptr<const ReduceRequest> request, const WatchOptions& options,
                  const QString& why);
  void reduce();
  // As hilo reduce -o: in a job.
  void save(const QString& path);
  const Reduction* reduction() const { return reduction_.get(); }
  QPushButton& reduceButton() { return *reduce_; }
  QPushButton& saveButton() { return *save_; }
  QPushButton& stopButton() { return progress_->stopButton(); }
  TableView& steps() { return *stepTable_; }
  const TableModel<ReducedRow>& stepRows() const { return stepRows_; }
  const TableModel<MoveTally>& moveRows() const { return moveRows_; }
  SizeChart& chart() { return *chart_; }
  QString message() const { return message_->text(); }

 private:
  void buildBar();
  void show(std::shared_ptr<const Reduction> reduction, bool isDone);
  void showStep(const QModelIndex& index);
  void askWhereToSave();
  void enableButtons();

  ViewContext context_;
  JobScope scope_;
  bool isBusy_ = false;  // until the answer is here, which comes after the job's end
  std::shared_ptr<const ReduceRequest> request_;
  WatchOptions options_;
  std::shared_ptr<const Reduction> reduction_;
  std::shared_ptr<Mailbox<Reduction>> soFar_;
  TableModel<ReducedRow> stepRows_;
  TableModel<MoveTally> moveRows_;
  QPushButton* reduce_;
  QPushButton* save_;
  JobProgress* progress_;
  MessageLine* message_;
  SizeChart* chart_;
  TableView* stepTable_;
  TableView* moveTable_;
};

}  // namespace hilo
