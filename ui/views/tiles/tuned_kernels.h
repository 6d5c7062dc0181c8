// Kernels that were tried for the instruction when it was tuned for a GPU (hilo tune --target), as the store
// of runs has them: time, registers, shared memory, and why one that is out is out.
#pragma once

#include "core/workspace/tune/kept_kernels.h"
#include "ui/models/table_model.h"
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
  TableView& table() { return *table_; }
  const TableModel<TunedKernelRow>& rows() const { return model_; }
  QString message() const { return message_->text(); }

 Q_SIGNALS:
  // A row of a tile program was clicked, or come to by keys.
  void chosen(const std::vector<int64_t>& sizes);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void read();
  void show(Result<std::vector<KeptKernels>> kept);

  const ViewContext& context_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  const Instruction* instruction_ = nullptr;
  MessageLine* message_;
  TableView* table_;
  TableModel<TunedKernelRow> model_;
};

}  // namespace hilo
