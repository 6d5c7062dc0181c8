#include "ui/views/tiles/tuned_kernels.h"

#include <QVBoxLayout>
#include <utility>

#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/session/comparable.h"
#include "core/workspace/store/store.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

using Row = TunedKernelRow;

QString timeText(const Row& row) {
  if (row.tried.ns() <= 0) return {};
  return QString("%1 µs%2").arg(row.tried.ns() / 1000, 0, 'f', 2).arg(row.isEstimated ? ", estimated" : "");
}

QString durationWithSource(double ns, bool isEstimated) {
  return QString("%1%2").arg(durationText(static_cast<int64_t>(ns)), isEstimated ? ", estimated" : "");
}

// "tile program 8,64 was chosen of 9 kernels: 2.00 µs, estimated, the default 3.10 µs. 2 are out."
QString verdictText(const TunedKernel& tuned) {
  if (!tuned.error.empty()) return qs(tuned.error);
  const auto out = std::ranges::count_if(
      tuned.tried, [](const TriedKernel& tried) { return tried.failure != TrialFailure::None; });
  QString text = QString("%1 was chosen of %2: %3")
                     .arg(qs(tuned.best), countOf(tuned.tried.size(), "kernel"),
                          durationWithSource(tuned.bestNs, tuned.isEstimated));
  if (tuned.best != "default")
    text += ", the default " + durationWithSource(tuned.defaultNs, tuned.isEstimated);
  if (out > 0) text += QString(". %1 out: see why below").arg(out == 1 ? "1 is" : QString("%1 are").arg(out));
  if (tuned.reused) text += " (found before)";
  return text + ".";
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
  layout->addWidget(buildBar());
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  table_ = new TableView(this);
  table_->setModel(&model_);
  table_->setAccessibleName("Tuned kernels");
  table_->setEmptyText(
      "Nothing is kept of this instruction. Press Try its kernels: each runs on the simulated GPU, held to "
      "the\n"
      "reference evaluator with each access checked; no GPU is needed, and times are estimates.");
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

QWidget* TunedKernels::buildBar() {
  auto* bar = new QWidget(this);
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  bar->setLayout(row);
  device_ = new QComboBox(bar);
  device_->setAccessibleName("GPU to tune for");
  for (const BuiltInDevice& device : builtInDevices()) {
    if (!findDevice(std::string(device.id))->computeCapability.empty())
      device_->addItem(qs(std::string(device.id)));
  }
  device_->setCurrentText("h100");
  tune_ = new QPushButton("Try its kernels", bar);
  tune_->setToolTip(
      "Compile every kernel that this GPU has for the instruction, run each and keep what is found");
  apply_ = new QPushButton("Apply to module", bar);
  apply_->setToolTip("Show the module with the chosen kernel said in it; it is kept beside this one");
  progress_ = new JobProgress(context_.jobs, "End tuning, and the process it runs in", bar);
  for (QWidget* widget : std::initializer_list<QWidget*>{device_, tune_, progress_, apply_}) row->add(widget);
  connect(tune_, &QPushButton::clicked, this, &TunedKernels::tune);
  connect(apply_, &QPushButton::clicked, this, &TunedKernels::apply);
  return bar;
}

void TunedKernels::enableButtons() {
  const bool isBusy = progress_->job().valid();
  tune_->setEnabled(instruction_ != nullptr && !isBusy);
  apply_->setEnabled(tuned_ != nullptr && !isBusy);
}

void TunedKernels::setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction) {
  module_ = std::move(module);
  instruction_ = instruction;
  tuned_ = nullptr;
  model_.setRows({});
  message_->say({});
  enableButtons();
  read();
}

void TunedKernels::tune() {
  if (instruction_ == nullptr) return;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "tune kernels", "Tune the kernels of " + std::string(instruction_->name()),
      [module = module_, name = std::string(instruction_->name()), id = toStd(device_->currentText()),
       shared = context_.session.file().store(),
       worker = context_.session.runs().worker()](JobContext& job) -> Result<GpuTuneReport> {
        TRY(const auto store, shared->get());
        TRY(const DeviceDescription device, findDevice(id));
        TRY(const std::string target, gpuTargetOf(device));
        return tuneForGpu({.module = module,
                           .device = device,
                           .target = target,
                           .runsPasses = false,
                           .only = name,
                           .store = store.get(),
                           .worker = worker},
                          job);
      },
      [this, of = instruction_](const Result<GpuTuneReport>& report) {
        progress_->setJob({});
        if (of != instruction_) return enableButtons();
        report ? noteTuned(*report) : message_->sayWhy(report.error());
        enableButtons();
      },
      &scope_));
  enableButtons();
}

void TunedKernels::noteTuned(const GpuTuneReport& report) {
  tuned_ = report.tuned.empty() ? nullptr : report.module;
  wanted_ = report.tuned.empty() ? std::string() : report.tuned.front().best;
  read();
  QStringList lines;
  for (const TunedKernel& tuned : report.tuned) lines << verdictText(tuned);
  for (const std::string& untried : report.untried) lines << "not tried: " + qs(untried);
  message_->say(lines.isEmpty() ? QStringLiteral("There is one kernel for it alone.") : lines.join("\n"));
}

void TunedKernels::apply() {
  const SnapshotId of = context_.session.find(*module_);
  if (!of.valid() || tuned_ == nullptr) return;
  PassSeries series{.title = std::string(module_->name()),
                    .steps = {makeStep("input", module_), makeStep("tune", tuned_)},
                    .sharedIds = true};
  context_.session.addSeries(std::move(series), of);
  showStep(context_.session, context_.session.series().back().id, 1);
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
  model_.setRows(tunedKernelRows(*kept));
  const auto& rows = model_.rows();
  const std::string wanted = std::exchange(wanted_, {});
  const auto best =
      std::ranges::find_if(rows, [&](const Row& row) { return row.isBest && row.tried.choice == wanted; });
  if (best != rows.end()) table_->setCurrentIndex(model_.index(static_cast<int>(best - rows.begin()), 0));
}

}  // namespace hilo
