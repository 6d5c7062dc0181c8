#include "ui/views/passes/history_pane.h"

#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/passes/change_colours.h"
#include "ui/widgets/elided_label.h"

namespace hilo {
namespace {

std::vector<TableColumn<HistoryEntry>> historyColumns(const std::shared_ptr<const PassSeries>& series) {
  return {
      {"step", [](const HistoryEntry& h) { return QString::number(h.step); },
       [](const HistoryEntry& h) { return static_cast<double>(h.step); }},
      {"pass",
       [&series](const HistoryEntry& h) {
         return series && h.step < series->steps.size() ? qs(series->steps[h.step].name) : QString();
       }},
      {"change", [](const HistoryEntry& h) { return qs(changeName(h.kind)); }},
      {"what", [](const HistoryEntry& h) { return qs(h.what); }},
      {"name", [](const HistoryEntry& h) { return qs(h.name); }},
      {"text", [](const HistoryEntry& h) { return qs(h.text); }},
  };
}

}  // namespace

HistoryPane::HistoryPane(JobQueue& jobs, QWidget* parent)
    : QWidget(parent), jobs_(jobs), title_(new ElidedLabel(this)), rows_(historyColumns(series_)) {
  title_->setAccessibleName("Whose history");
  title_->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  title_->hide();
  table_ = new TableView(this);
  table_->setAccessibleName("History");
  table_->setModel(&rows_);
  table_->setEmptyText(
      "Select an instruction of this step, before it or after, to see which passes made, changed and removed "
      "it. Enter goes to the step.");
  table_->setColumnWidths({5, 20, 9, 16, 16, 60});
  rows_.setForeground([this](const HistoryEntry& h) { return colourOfChange(h.kind, *this); });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(title_);
  column->addWidget(table_, 1);
  connect(table_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    if (const HistoryEntry* entry = rows_.rowAt(index)) Q_EMIT activated(*entry);
  });
}

QString HistoryPane::title() const { return title_->isHidden() ? QString() : title_->text(); }

void HistoryPane::setSeries(std::shared_ptr<const PassSeries> series) {
  series_ = std::move(series);
  followed_.reset();
  rows_.setRows({});
  title_->hide();
  Q_EMIT rowsChanged();
}

void HistoryPane::follow(size_t step, const Instruction& instruction) {
  const std::pair wanted(step, instruction.id());
  if (followed_ == wanted || series_ == nullptr) return;
  followed_ = wanted;
  title_->setText(QString("%%1, %2 after step %3: %4")
                      .arg(qs(instruction.name()), qs(instruction.opcodeText()))
                      .arg(step)
                      .arg(qs(series_->steps[step].name)));
  title_->show();
  jobs_.submit(
      "passes.history", "Follow an instruction through " + series_->title,
      [series = series_, wanted](JobContext& job) {
        return instructionHistory(*series, wanted.first, wanted.second, job.cancel());
      },
      [this, series = series_, wanted](Result<std::vector<HistoryEntry>> entries) {
        if (!entries || series != series_ || followed_ != wanted) return;
        rows_.setRows(*std::move(entries));
        Q_EMIT rowsChanged();
      },
      &scope_);
}

}  // namespace hilo
