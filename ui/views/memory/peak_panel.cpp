#include "ui/views/memory/peak_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/memory/memory_rows.h"

namespace hilo {
namespace {

constexpr const char* kHowTo = "Choose a module that is open: what is live at one peak and not at the other.";

QString whereText(const PeakLine& line) {
  if (!line.row.why.empty())
    return (line.isOtherAlone ? "only there: here " : "only here: ") + qs(line.row.why);
  return "at both, there " + qs(line.row.otherName);
}

std::vector<TableColumn<PeakLine>> columns() {
  const auto bytes = [](const char* title, int64_t PeakRow::* field) {
    return TableColumn<PeakLine>{
        title,
        [field](const PeakLine& line) {
          return line.row.*field == 0 ? QString() : bytesText(line.row.*field);
        },
        [field](const PeakLine& line) { return static_cast<double>(line.row.*field); }};
  };
  return {{"difference", [](const PeakLine& line) { return signedBytes(line.difference(), "as large"); },
           [](const PeakLine& line) { return static_cast<double>(line.difference()); }},
          {"value", [](const PeakLine& line) { return qs(line.row.name); }},
          {"opcode", [](const PeakLine& line) { return qs(line.row.opcode); }},
          bytes("here", &PeakRow::bytesA),
          bytes("there", &PeakRow::bytesB),
          {"why", whereText},
          {"source", [](const PeakLine& line) { return qs(line.row.source); }},
          {"op_name", [](const PeakLine& line) { return qs(line.row.opName); }}};
}

std::vector<PeakLine> linesOf(const PeakComparison& compared) {
  std::vector<PeakLine> lines;
  for (const auto* rows : {&compared.onlyA, &compared.resized}) {
    for (const PeakRow& row : *rows) lines.push_back({row, false});
  }
  for (const PeakRow& row : compared.onlyB) lines.push_back({row, true});
  std::ranges::stable_sort(lines, std::greater(),
                           [](const PeakLine& line) { return std::abs(line.difference()); });
  return lines;
}

}  // namespace

PeakPanel::PeakPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), lines_(columns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  other_ = new QComboBox(this);
  other_->setAccessibleName("Module to compare the peak with");
  other_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  other_->setMinimumContentsLength(24);
  summary_ = new QLabel(kHowTo, this);
  summary_->setAccessibleName("How the peaks differ");
  summary_->setWordWrap(true);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(other_);
  row->addWidget(summary_, 1);
  layout->addLayout(row);
  table_ = new TableView(this);
  table_->setModel(&lines_);
  table_->setAccessibleName("Peak difference");
  table_->setColumnWidths({12, 30, 18, 12, 12, 44, 24, 40});
  table_->setEmptyText(kHowTo);
  layout->addWidget(table_, 1);
  connect(other_, &QComboBox::activated, this, &PeakPanel::compare);
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (table_->hasFocus()) choose(index, false);
  });
  connect(table_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& index) { choose(index, true); });
  connect(&context_.changes, &SessionChanges::documentOpened, this, &PeakPanel::fillOthers);
  fillOthers();
}

void PeakPanel::setPlans(std::shared_ptr<const MemoryPlans> plans) {
  plans_ = std::move(plans);
  ++asked_;
  fillOthers();
  other_->setCurrentIndex(0);
  clear(kHowTo);
}

void PeakPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fillOthers();
}

void PeakPanel::fillOthers() {
  const QString before = other_->currentText();
  others_ = comparable(context_.session);
  other_->clear();
  other_->addItem(others_.empty() ? "no other module is open" : "no comparison");
  for (const auto& [title, step] : others_) other_->addItem(qs(title));
  other_->setCurrentIndex(std::max(0, other_->findText(before)));
  other_->setEnabled(!others_.empty());
}

void PeakPanel::compare() {
  const int chosen = other_->currentIndex();
  const uint64_t asked = ++asked_;
  if (plans_ == nullptr || chosen <= 0) return clear(kHowTo);
  const auto& [title, step] = others_[static_cast<size_t>(chosen) - 1];
  clear("Comparing with " + qs(title) + " …");
  context_.jobs.submit(
      "memory peaks", "Compare the peak with " + title,
      [plans = plans_,
       planner = plannerOf(context_.session, step)](JobContext& job) -> Result<PeakComparison> {
        TRY(const MemoryPlans other, planner(job.cancel()));
        TRY(const auto compared, comparePeaks(*plans, other));
        return compared.front();
      },
      [this, asked, title = qs(title)](Result<PeakComparison> compared) {
        if (asked != asked_) return;
        if (compared) return show(title, *compared);
        clear("The peaks cannot be compared: " + qs(compared.error().message));
      },
      &scope_);
}

void PeakPanel::show(const QString& title, const PeakComparison& compared) {
  summary_->setText(QString("%1's plans: %2 at %%3 here, %4 at %%5 in %6: %7; at both alike %8 in %9")
                        .arg(qs(compared.plan), bytesText(compared.bytesA), qs(compared.atA),
                             bytesText(compared.bytesB), qs(compared.atB), title,
                             signedBytes(compared.bytesA - compared.bytesB, "as large"),
                             bytesText(compared.sameBytes), countOf(compared.samePlaces, "place")));
  auto lines = linesOf(compared);
  Q_EMIT counted(lines.size());
  table_->setEmptyText("Both peaks hold the same values with the same bytes.");
  lines_.setRows(std::move(lines));
}

void PeakPanel::clear(const QString& text) {
  summary_->setText(text);
  table_->setEmptyText(text);
  lines_.setRows({});
  Q_EMIT counted(0);
}

void PeakPanel::choose(const QModelIndex& index, bool activate) {
  const PeakLine* line = lines_.rowAt(index);
  if (line != nullptr && !line->isOtherAlone) Q_EMIT instructionChosen(line->row.instruction, activate);
}

}  // namespace hilo
