#include "ui/views/tiles/tuned_kernels.h"

#include <QVBoxLayout>

#include "core/workspace/store/store.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

using Row = TunedKernelRow;

QString timeText(const Row& row) {
  if (row.tried.ns() <= 0) return {};
  return QString("%1 µs%2").arg(row.tried.ns() / 1000, 0, 'f', 2).arg(row.isEstimated ? ", estimated" : "");
}

QString countOrNothing(int64_t count) { return count > 0 ? countText(count) : QString(); }

QString noteText(const Row& row) {
  QStringList words;
  if (row.isBest) words << "chosen";
  const char* failure = trialFailureName(row.tried.failure);
  if (*failure != '\0') words << QString("%1: %2").arg(failure, qs(row.tried.remark));
  if (*failure == '\0' && !row.tried.remark.empty()) words << qs(row.tried.remark);
  if (row.tried.wasRun)
    words << (row.tried.isTrusted ? "equals the reference, trusted" : "equals the reference");
  return words.join(", ");
}

}  // namespace

std::vector<TableColumn<TunedKernelRow>> tunedKernelColumns() {
  return {{"Kernel", [](const Row& r) { return qs(r.tried.choice); }},
          {"Time", timeText, [](const Row& r) { return r.tried.ns() > 0 ? r.tried.ns() : 1e300; }},
          {"Registers", [](const Row& r) { return countOrNothing(r.tried.registers); },
           [](const Row& r) { return static_cast<double>(r.tried.registers); },
           [](const Row&) { return QString("Of a thread, estimated"); }},
          {"Shared", [](const Row& r) { return countOrNothing(r.tried.sharedBytes); },
           [](const Row& r) { return static_cast<double>(r.tried.sharedBytes); },
           [](const Row&) { return QString("Bytes of shared memory of a block"); }},
          {"Scratch", [](const Row& r) { return countOrNothing(r.tried.scratchBytes); },
           [](const Row& r) { return static_cast<double>(r.tried.scratchBytes); },
           [](const Row&) { return QString("Bytes of memory besides arguments and results"); }},
          {"Outcome", noteText},
          {"Tuned for", [](const Row& r) { return qs(r.machine); }}};
}

std::vector<TunedKernelRow> tunedKernelRows(const std::vector<KeptKernels>& kept) {
  std::vector<TunedKernelRow> rows;
  for (const KeptKernels& each : kept) {
    for (const TriedKernel& tried : each.tuned.tried)
      rows.push_back({.machine = each.machine,
                      .tried = tried,
                      .isBest = tried.choice == each.tuned.best,
                      .isEstimated = each.tuned.isEstimated});
  }
  return rows;
}

TunedKernels::TunedKernels(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), model_(tunedKernelColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  table_ = new TableView(this);
  table_->setModel(&model_);
  table_->setAccessibleName("Tuned kernels");
  table_->setEmptyText("Nothing is kept of this instruction. hilo tune --target h100 tries its kernels.");
  table_->setColumnWidths({24, 18, 10, 10, 10, 40, 30});
  model_.setForeground([this](const Row& row) {
    const bool isOut = row.tried.failure != TrialFailure::None;
    return isOut ? QVariant(themeOf(*this).colour(ColourRole::kTextFaint)) : QVariant();
  });
  layout->addWidget(table_, 1);
  connect(&context_.changes, &SessionChanges::storeChanged, this, &TunedKernels::read);
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    const Row* row = model_.rowAt(index);
    if (row == nullptr) return;
    const GpuKernelChoice choice = parseGpuKernelChoice(row->tried.choice);
    if (!choice.sizes.empty()) Q_EMIT chosen(choice.sizes);
  });
}

void TunedKernels::setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction) {
  module_ = std::move(module);
  instruction_ = instruction;
  model_.setRows({});
  message_->say({});
  read();
}

void TunedKernels::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void TunedKernels::read() {
  if (instruction_ == nullptr || !isVisible()) return;
  context_.jobs.submit(
      "tuned kernels", "Read what was tuned",
      [shared = context_.session.file().store(), module = module_,
       instruction = instruction_](JobContext&) -> Result<std::vector<KeptKernels>> {
        TRY(const auto store, shared->get());
        return keptKernelsOf(*store, *instruction);
      },
      [this, of = instruction_](Result<std::vector<KeptKernels>> kept) {
        if (of == instruction_) show(std::move(kept));
      },
      &scope_);
}

void TunedKernels::show(Result<std::vector<KeptKernels>> kept) {
  if (!kept) return message_->sayWhy(kept.error());
  message_->say({});
  model_.setRows(tunedKernelRows(*kept));
}

}  // namespace hilo
