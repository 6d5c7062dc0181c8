// Rows of a kernel's tables: its arrays with what set their layouts, the copies between registers and shared
// memory, and the steps of the solver.
#pragma once

#include "core/analysis/kernel_layouts/inference/inference_steps.h"
#include "core/workspace/kernels/inferred_kernel.h"
#include "ui/models/table_model.h"
#include "ui/views/kernel_layouts/layout_form.h"

namespace hilo {

struct KernelArrayRow {
  uint32_t line = 0;
  QString name, memory, layout, cause;
  std::optional<LayoutTexts> drawn;  // nothing where sizes are not known before it runs
};

struct KernelCopyRow {
  uint32_t line = 0;
  QString operation, registers, memory;
  int64_t wavefronts = 0, least = 0;
  QString notCounted;  // why; empty where it is
  std::optional<LayoutTexts> drawn;
};

std::vector<TableColumn<KernelArrayRow>> kernelArrayColumns();
std::vector<TableColumn<KernelCopyRow>> kernelCopyColumns();
std::vector<TableColumn<inference::ListedStep>> kernelStepColumns();

// None where no layouts were found.
std::vector<KernelArrayRow> kernelArrayRows(const InferredKernel& inferred);
std::vector<KernelCopyRow> kernelCopyRows(const InferredKernel& inferred);

}  // namespace hilo
