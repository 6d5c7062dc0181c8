#include "ui/views/kernel_layouts/kernel_panel.h"

#include "ui/style/colours.h"
#include "ui/widgets/table_tab.h"

namespace hilo {

using inference::InferenceStep;
using inference::ListedStep;

KernelPanel::KernelPanel(JobQueue& jobs, QWidget* parent)
    : QTabWidget(parent),
      arrayModel_(kernelArrayColumns()),
      copyModel_(kernelCopyColumns()),
      stepModel_(kernelStepColumns()) {
  setDocumentMode(true);
  setAccessibleName("Kernel");
  arrays_ =
      addTable(arrayModel_, "Arrays", "Arrays of the kernel", "No layouts were found.", {6, 30, 16, 32, 60});
  copies_ = addTable(copyModel_, "Copies", "Copies between registers and shared memory",
                     "Nothing goes between registers and shared memory.", {6, 26, 12, 17, 32, 26});
  steps_ = addTable(stepModel_, "Steps", "Steps of the solver", "The solver did nothing.",
                    {6, 7, 11, 30, 30, 14, 6, 26, 60});
  shared_ = new SharedMemoryStrip(this);
  addTab(shared_, "Shared memory");
  barriers_ = new KernelBarriers(this);
  addTab(barriers_, "Barriers");
  run_ = new KernelRun(jobs, this);
  addTab(run_, "Run");
  connect(barriers_, &KernelBarriers::lineAsked, this, &KernelPanel::lineAsked);
  connect(shared_, &SharedMemoryStrip::picked, this, [this](const QString& name) { goTo(name + " of "); });
  copyModel_.setForeground([this](const KernelCopyRow& row) {
    return row.wavefronts == row.least ? QVariant() : QVariant(themeOf(*this).colour(ColourRole::kWarning));
  });
  stepModel_.setForeground([this](const ListedStep& step) {
    return step.kind == InferenceStep::Kind::Conflict ? QVariant(themeOf(*this).colour(ColourRole::kWarning))
                                                      : QVariant();
  });
  connect(arrays_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const KernelArrayRow* row = arrayModel_.rowAt(index)) ask(row->drawn);
  });
  connect(copies_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const KernelCopyRow* row = copyModel_.rowAt(index)) ask(row->drawn);
  });
}

TableView* KernelPanel::addTable(QAbstractItemModel& model, const char* title, const char* name,
                                 const char* whenEmpty, const std::vector<int>& widths) {
  TableView* table = hilo::addTable(*this, model, title, whenEmpty, widths);
  table->setAccessibleName(name);
  return table;
}

void KernelPanel::setKernel(std::shared_ptr<const InferredKernel> kernel) {
  kernel_ = std::move(kernel);
  arrayModel_.setRows(kernel_ ? kernelArrayRows(*kernel_) : std::vector<KernelArrayRow>());
  copyModel_.setRows(kernel_ ? kernelCopyRows(*kernel_) : std::vector<KernelCopyRow>());
  shared_->setKernel(kernel_ ? &kernel_->kernel : nullptr);
  barriers_->setKernel(kernel_ && kernel_->studied ? &*kernel_->studied : nullptr);
  run_->setKernel(kernel_);
  stepModel_.setRows(kernel_ ? listedSteps(kernel_->kernel, kernel_->layouts) : std::vector<ListedStep>());
}

bool KernelPanel::goTo(const QString& name) {
  for (int row = 0; row < arrayModel_.rowCount(); ++row) {
    if (!arrayModel_.rows()[static_cast<size_t>(row)].name.contains(name)) continue;
    setCurrentWidget(arrays_);
    arrays_->setCurrentIndex(arrayModel_.index(row, 0));
    return true;
  }
  return false;
}

void KernelPanel::ask(const std::optional<LayoutTexts>& texts) {
  if (texts)
    Q_EMIT drawingAsked(*texts);
  else
    Q_EMIT said("Its shape is not known before it runs.");
}

}  // namespace hilo
