// The kernel of a custom call: its arrays, the copies between registers and shared memory, the steps of the
// solver that laid them out, shared memory over time, its barriers, and a run of it. A click on an array or
// copy asks for its picture.
#pragma once

#include <QTabWidget>
#include <memory>

#include "ui/views/kernel_layouts/kernel_barriers.h"
#include "ui/views/kernel_layouts/kernel_rows.h"
#include "ui/views/kernel_layouts/kernel_run.h"
#include "ui/views/kernel_layouts/shared_memory_strip.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class KernelPanel : public QTabWidget {
  Q_OBJECT

 public:
  explicit KernelPanel(JobQueue& jobs, QWidget* parent = nullptr);

  // Null: none is shown.
  void setKernel(std::shared_ptr<const InferredKernel> kernel);
  const std::shared_ptr<const InferredKernel>& kernel() const { return kernel_; }
  // Draws the first array whose name holds this. False: there is none.
  bool goTo(const QString& name);

  TableView& arrays() { return *arrays_; }
  TableView& copies() { return *copies_; }
  TableView& steps() { return *steps_; }
  SharedMemoryStrip& shared() { return *shared_; }
  KernelBarriers& barriers() { return *barriers_; }
  KernelRun& run() { return *run_; }
  const TableModel<KernelArrayRow>& arrayModel() const { return arrayModel_; }
  const TableModel<KernelCopyRow>& copyModel() const { return copyModel_; }
  const TableModel<inference::ListedStep>& stepModel() const { return stepModel_; }

 Q_SIGNALS:
  void drawingAsked(const hilo::LayoutTexts& texts);
  void said(const QString& text);
  void lineAsked(uint32_t line);  // of the kernel's text

 private:
  TableView* addTable(QAbstractItemModel& model, const char* title, const char* name, const char* whenEmpty,
                      const std::vector<int>& widths);
  void ask(const std::optional<LayoutTexts>& texts);

  std::shared_ptr<const InferredKernel> kernel_;
  TableModel<KernelArrayRow> arrayModel_;
  TableModel<KernelCopyRow> copyModel_;
  TableModel<inference::ListedStep> stepModel_;
  TableView* arrays_;
  TableView* copies_;
  TableView* steps_;
  SharedMemoryStrip* shared_;
  KernelBarriers* barriers_;
  KernelRun* run_;
};

}  // namespace hilo
