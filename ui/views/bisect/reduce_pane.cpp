#include "ui/views/bisect/reduce_pane.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "core/workspace/reduce/save_reduction.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/ask_file.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

ReducePane::ReducePane(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), stepRows_(reducedColumns()), moveRows_(moveColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  buildBar();
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  chart_ = new SizeChart(this);
  layout->addWidget(chart_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  stepTable_ = new TableView(split);
  stepTable_->setAccessibleName("Steps of the reduction");
  stepTable_->setModel(&stepRows_);
  stepTable_->setColumnWidths({6, 22, 9, 13, 10});
  moveTable_ = new TableView(split);
  moveTable_->setAccessibleName("Moves");
  moveTable_->setModel(&moveRows_);
  moveTable_->setColumnWidths({22, 8, 9, 8});
  moveTable_->setEmptyText("How often each move was tried, watched and taken.");
  split->setSizes({560, 400});
  layout->addWidget(split, 1);
  connect(stepTable_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const ReducedRow* row = stepRows_.rowAt(index)) chart_->setChosen(static_cast<int>(row->step));
  });
  connect(stepTable_, &QAbstractItemView::activated, this, &ReducePane::showStep);
  connect(chart_, &SizeChart::chosenChanged, this, [this](int point) {
    const auto& rows = stepRows_.rows();
    for (size_t n = 0; n < rows.size(); ++n) {
      if (rows[n].step == static_cast<size_t>(point))
        stepTable_->setCurrentIndex(stepRows_.index(static_cast<int>(n), 0));
    }
  });
  setRequest(nullptr, {}, "Bisect first: what is reduced is the module that the bad pass ran over.");
}

void ReducePane::buildBar() {
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  reduce_ = new QPushButton("Reduce", this);
  reduce_->setToolTip("Make the module that the bad pass ran over small, while it still fails the same way");
  save_ = new QPushButton("Save as .hilo...", this);
  save_->setToolTip("The small module with its arguments, the values expected and every step, in one file");
  progress_ = new JobProgress(context_.jobs, "End the reduction: what there is so far is kept", this);
  bar->add(reduce_);
  bar->add(progress_);
  bar->add(save_);
  static_cast<QVBoxLayout*>(layout())->addLayout(bar);
  connect(reduce_, &QPushButton::clicked, this, &ReducePane::reduce);
  connect(save_, &QPushButton::clicked, this, &ReducePane::askWhereToSave);
  connect(progress_, &JobProgress::told, this, [this](const QString& text) {
    message_->say(text);
    if (soFar_ == nullptr) return;
    if (auto now = soFar_->take()) show(std::make_shared<const Reduction>(*std::move(now)), false);
  });
}

void ReducePane::setRequest(std::shared_ptr<const ReduceRequest> request, const WatchOptions& options,
                            const QString& why) {
  request_ = std::move(request);
  options_ = options;
  reduction_ = nullptr;
  stepRows_.setRows({});
  moveRows_.setRows({});
  chart_->setPoints({});
  message_->say({});
  stepTable_->setEmptyText(
      request_ == nullptr ? why : "Press Reduce.\nEnter shows the module of a step in the other views.");
  enableButtons();
}

void ReducePane::enableButtons() {
  reduce_->setEnabled(request_ != nullptr && !isBusy_);
  save_->setEnabled(reduction_ != nullptr && !isBusy_);
}

void ReducePane::reduce() {
  if (request_ == nullptr) return;
  soFar_ = std::make_shared<Mailbox<Reduction>>();
  isBusy_ = true;
  progress_->setJob(context_.jobs.submit(
      "reduce", "Reduce " + std::string(request_->module->name()),
      [request = *request_, options = options_,
       soFar = soFar_](JobContext& job) mutable -> Result<Reduction> {
        TRY(const auto watcher, makeWatcher(request.watch, options));
        request.taken = [&](const Reduction& now) -> Status {
          soFar->put(now);
          return {};
        };
        return hilo::reduce(request, *watcher, job);
      },
      [this](Result<Reduction> reduced) {
        isBusy_ = false;
        progress_->setJob({});
        if (reduced) {
          show(std::make_shared<const Reduction>(*std::move(reduced)), true);
        } else {
          message_->sayWhy(reduced.error());
        }
        enableButtons();
      },
      &scope_));
  enableButtons();
}

void ReducePane::show(std::shared_ptr<const Reduction> reduction, bool isDone) {
  reduction_ = std::move(reduction);
  std::vector<ReducedRow> rows = reducedRowsOf(request_->module, *reduction_);
  std::vector<SizePoint> points;
  for (const ReducedRow& row : rows) points.push_back({row.atNs, row.instructions});
  stepRows_.setRows(std::move(rows));
  moveRows_.setRows(reduction_->moves);
  chart_->setPoints(std::move(points));
  if (!isDone) return;
  message_->say(QString("%1 to %2 in %3, %4 candidates, %5 watched%6.")
                    .arg(countOf(reduction_->instructionsBefore, "instruction"),
                         countText(static_cast<int64_t>(reduction_->module->instructionCount())),
                         countOf(reduction_->steps.size(), "step"), countText(reduction_->candidates),
                         countText(reduction_->looks), reduction_->isFinished ? "" : "; it could go on"));
  stepTable_->setCurrentIndex(stepRows_.index(stepRows_.rowCount() - 1, 0));
}

void ReducePane::showStep(const QModelIndex& index) {
  const ReducedRow* row = stepRows_.rowAt(index);
  if (row == nullptr) return;
  const std::string title = fmt::format("{} reduced, step {}", row->module->name(), row->step);
  context_.session.setCurrent(context_.session.snapshotOf(row->module, title));
}

void ReducePane::askWhereToSave() {
  const FileQuestion question{.title = "Save the reduction",
                              .filter = "Hilo documents (*.hilo)",
                              .saves = true,
                              .suffix = "hilo",
                              .name = "reduced.hilo"};
  askFile(*this, question, [this](const QString& path) { save(path); });
}

void ReducePane::save(const QString& path) {
  if (reduction_ == nullptr) return;
  context_.jobs.submit(
      "", "Save " + toStd(path),
      [request = request_, reduction = reduction_, options = options_,
       path = toStd(path)](JobContext& job) -> Status {
        TRY_STATUS(saveReduction(path, *request, *reduction));
        return saveExpected(path, *request, *reduction, options, job);
      },
      [this, path](Status saved) {
        saved ? message_->say("Saved to " + path + ".") : message_->sayWhy(saved.error());
      },
      &scope_);
}

}  // namespace hilo
