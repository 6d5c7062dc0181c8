// The barriers of a kernel, and what is wrong with how its groups of threads meet at them, copy and fence,
// played by core/analysis/kernel_checks. Enter asks for the line of the kernel's text.
#pragma once

#include <QLabel>

#include "core/workspace/kernels/inferred_kernel.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace hilo {

struct KernelBarrierRow {
  uint32_t line = 0;
  QString what, says;
  bool isWrong = false;
};

class KernelBarriers : public QWidget {
  Q_OBJECT

 public:
  explicit KernelBarriers(QWidget* parent = nullptr);
  // Null, or a kernel that was read from text: none are shown.
  void setKernel(const StudiedKernel* kernel);
  QString verdict() const { return verdict_->text(); }
  TableView& table() { return *table_; }
  const TableModel<KernelBarrierRow>& rows() const { return rows_; }

 Q_SIGNALS:
  void lineAsked(uint32_t line);

 private:
  QLabel* verdict_;
  TableView* table_;
  TableModel<KernelBarrierRow> rows_;
};

}  // namespace hilo
