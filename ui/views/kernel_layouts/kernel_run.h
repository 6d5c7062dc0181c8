// A run of a kernel on the simulated GPU in check mode, on arrays made up from a seed: what became of each
// array, and what is wrong.
#pragma once

#include <QPushButton>
#include <QSpinBox>
#include <memory>

#include "core/workspace/job_queue.h"
#include "core/workspace/kernels/inferred_kernel.h"
#include "ui/models/table_model.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"

namespace hilo {

struct MadeUpRun;

struct KernelRunRow {
  QString array, before, after;
};

class KernelRun : public QWidget {
  Q_OBJECT

 public:
  explicit KernelRun(JobQueue& jobs, QWidget* parent = nullptr);
  // Null: there is nothing to run.
  void setKernel(std::shared_ptr<const InferredKernel> kernel);
  void run();
  QPushButton& runButton() { return *run_; }
  QSpinBox& seed() { return *seed_; }
  QString message() const { return message_->text(); }
  const TableModel<KernelRunRow>& rows() const { return rows_; }

 private:
  void show(const MadeUpRun& made);

  JobQueue& jobs_;
  JobScope scope_;
  std::shared_ptr<const InferredKernel> kernel_;
  QPushButton* run_;
  QSpinBox* seed_;
  JobProgress* progress_;
  MessageLine* message_;
  TableView* table_;
  TableModel<KernelRunRow> rows_;
};

}  // namespace hilo
