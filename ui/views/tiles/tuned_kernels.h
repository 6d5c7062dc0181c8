// Kernels that were tried for the instruction when it was tuned for a GPU, here or by hilo tune --target, as
// the store of runs has them: time, registers, shared memory, and why one that is out is out. The chosen one
// can be kept: as a module beside the one that is shown.
#pragma once

#include <QComboBox>
#include <QPushButton>

#include "core/workspace/tune/kept_kernels.h"
#include "ui/models/table_model.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

struct TunedKernelRow {
  std::string machine;
  TriedKernel tried;
  bool isBest = false, isEstimated = false;
};
std::vector<TableColumn<TunedKernelRow>> tunedKernelColumns();
std::vector<TunedKernelRow> tunedKernelRows(const std::vector<KeptKernels>& kept);

class TunedKernels : public QWidget {
  Q_OBJECT

 public:
  explicit TunedKernels(const ViewContext& context, QWidget* parent = nullptr);

  // Null: none. What is kept is read while the table is in sight.
  void setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction);
  // Tries the kernels of the GPU that is chosen, on the simulated one; answered later.
  void tune();
  // The module with what was chosen said in it becomes current.
  void apply();
  QComboBox& device() { return *device_; }
  QPushButton& tuneButton() { return *tune_; }
  QPushButton& applyButton() { return *apply_; }
  TableView& table() { return *table_; }
  const TableModel<TunedKernelRow>& rows() const { return model_; }
  QString message() const { return message_->text(); }

 Q_SIGNALS:
  // A row of a tile program was clicked, or come to by keys.
  void chosen(const std::vector<int64_t>& sizes);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  void read();
  void noteTuned(const GpuTuneReport& report);
  void enableButtons();
  void show(Result<std::vector<KeptKernels>> kept);

  const ViewContext& context_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  const Instruction* instruction_ = nullptr;
  std::shared_ptr<const Module> tuned_;  // with what was chosen of the instruction; null: nothing was
  std::string wanted_;                   // the kernel to go to once it is listed
  QComboBox* device_;
  QPushButton* tune_;
  QPushButton* apply_;
  JobProgress* progress_;
  MessageLine* message_;
  TableView* table_;
  TableModel<TunedKernelRow> model_;
};

}  // namespace hilo
