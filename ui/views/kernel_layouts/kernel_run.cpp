#include "ui/views/kernel_layouts/kernel_run.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/workspace/kernels/warpgroup_run.h"
#include "core/workspace/values/value_summary.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

std::vector<TableColumn<KernelRunRow>> columns() {
  using Row = KernelRunRow;
  return {{"array", [](const Row& row) { return row.array; }},
          {"before", [](const Row& row) { return row.before; }},
          {"afterwards", [](const Row& row) { return row.after; }}};
}

}  // namespace

KernelRun::KernelRun(JobQueue& jobs, QWidget* parent) : QWidget(parent), jobs_(jobs), rows_(columns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  run_ = new QPushButton("Run on the simulated GPU", this);
  run_->setToolTip("Run the kernel as code for sm_90a, and look at each access to memory; no GPU is needed");
  seed_ = new QSpinBox(this);
  seed_->setAccessibleName("Seed of the arrays");
  seed_->setPrefix("seed ");
  seed_->setRange(0, 1'000'000);
  progress_ = new JobProgress(jobs, "End the run", this);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  bar->setSpacing(kSpaceSmall);
  bar->addWidget(run_);
  bar->addWidget(seed_);
  bar->addWidget(progress_);
  bar->addStretch();
  table_ = new TableView(this);
  table_->setModel(&rows_);
  table_->setAccessibleName("Arrays before and after the run");
  table_->setEmptyText("Nothing has run yet: the arrays are made up from the seed.");
  table_->setColumnWidths({16, 44, 44});
  layout->addLayout(bar);
  layout->addWidget(message_);
  layout->addWidget(table_, 1);
  connect(run_, &QPushButton::clicked, this, &KernelRun::run);
  connect(progress_, &JobProgress::cancelled, this, [this] {
    run_->setEnabled(kernel_ != nullptr);
    message_->say("Stopped.");
  });
  setKernel(nullptr);
}

void KernelRun::setKernel(std::shared_ptr<const InferredKernel> kernel) {
  jobs_.cancelTag("kernel-run");
  kernel_ = std::move(kernel);
  run_->setEnabled(kernel_ != nullptr && kernel_->layouts.isFound());
  rows_.setRows({});
  message_->say({});
}

void KernelRun::run() {
  if (!run_->isEnabled()) return;
  run_->setEnabled(false);
  message_->say("Running ...");
  progress_->setJob(jobs_.submit(
      "kernel-run", "Run the kernel on the simulated GPU",
      [kernel = kernel_, seed = static_cast<uint64_t>(seed_->value())](JobContext& job) {
        return runMadeUp(kernel->kernel, kernel->layouts, seed, /*isChecked=*/true, job.cancel());
      },
      [this](const Result<MadeUpRun>& made) {
        progress_->setJob({});
        run_->setEnabled(kernel_ != nullptr);
        made ? show(*made) : message_->sayWhy(made.error());
      },
      &scope_));
}

void KernelRun::show(const MadeUpRun& made) {
  std::vector<KernelRunRow> rows;
  for (size_t i = 0; i < made.names.size(); ++i) {
    const Literal &before = made.before[i], &after = made.run.arrays[i];
    rows.push_back({qs(made.names[i]), qs(summaryText(before)),
                    before == after ? QStringLiteral("unchanged") : qs(spreadText(summarize(after)))});
  }
  rows_.setRows(std::move(rows));
  QStringList found;
  for (const Diagnostic& finding : made.run.findings) found << qs(toString(finding));
  const bool isWrong = hasErrors(made.run.findings);
  if (!isWrong) found.prepend("Each access was checked: nothing is wrong.");
  message_->say(found.join("\n"), isWrong);
}

}  // namespace hilo
