#include "ui/views/kernel_layouts/kernel_barriers.h"

#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

QString numberText(const std::optional<int64_t>& number) {
  return number ? QString::number(*number) : QStringLiteral("?");
}

QString arrivalsText(const KernelBarrierInit& barrier) {
  QString text = QString("%1 in a row, each complete after %2")
                     .arg(numberText(barrier.count),
                          barrier.arrivals ? countOf(static_cast<size_t>(*barrier.arrivals), "arrival")
                                           : QStringLiteral("? arrivals"));
  if (barrier.tensorCore) text += ", of the tensor core";
  return text;
}

// What is wrong comes first.
std::vector<KernelBarrierRow> rowsOf(const StudiedKernel& kernel) {
  std::vector<KernelBarrierRow> rows;
  for (const Diagnostics* said : {&kernel.problems, &kernel.findings}) {
    for (const Diagnostic& each : *said) {
      QStringList text{qs(each.message)};
      for (const std::string& note : each.notes) text << qs(note);
      rows.push_back({each.place.line, qs(each.kind), text.join("; "), true});
    }
  }
  for (const KernelBarrierInit& barrier : kernel.description.barriers)
    rows.push_back({barrier.line, "barrier " + qs(barrier.name), arrivalsText(barrier)});
  return rows;
}

QString verdictOf(const StudiedKernel& kernel) {
  const size_t wrong = kernel.problems.size() + kernel.findings.size();
  if (wrong > 0) return countOf(wrong, "fault") + ": Enter goes to the line of the kernel.";
  if (!kernel.description.notFollowed.empty())
    return "Barriers, copies and fences were not played: " + qs(kernel.description.notFollowed);
  return "Barriers, copies and fences were played step by step: nothing is wrong.";
}

std::vector<TableColumn<KernelBarrierRow>> columns() {
  using Row = KernelBarrierRow;
  return {{"line", [](const Row& row) { return row.line == 0 ? QString() : QString::number(row.line); },
           [](const Row& row) { return static_cast<double>(row.line); }},
          {"what", [](const Row& row) { return row.what; }},
          {"how", [](const Row& row) { return row.says; }, nullptr, [](const Row& row) { return row.says; }}};
}

}  // namespace

KernelBarriers::KernelBarriers(QWidget* parent) : QWidget(parent), rows_(columns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  verdict_ = new QLabel(this);
  verdict_->setWordWrap(true);
  verdict_->setMargin(kSpaceSmall);
  table_ = new TableView(this);
  table_->setModel(&rows_);
  table_->setAccessibleName("Barriers of the kernel");
  table_->setEmptyText("The kernel has no barriers.");
  table_->setColumnWidths({6, 20, 90});
  rows_.setForeground([this](const KernelBarrierRow& row) {
    return row.isWrong ? QVariant(themeOf(*this).colour(ColourRole::kError)) : QVariant();
  });
  layout->addWidget(verdict_);
  layout->addWidget(table_, 1);
  connect(table_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    const KernelBarrierRow* row = rows_.rowAt(index);
    if (row != nullptr && row->line > 0) Q_EMIT lineAsked(row->line);
  });
}

void KernelBarriers::setKernel(const StudiedKernel* kernel) {
  verdict_->setText(kernel == nullptr ? QString() : verdictOf(*kernel));
  rows_.setRows(kernel == nullptr ? std::vector<KernelBarrierRow>() : rowsOf(*kernel));
}

}  // namespace hilo
