#include "ui/views/schedule/schedule_panels.h"

#include <QHeaderView>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/models/source_text.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/option_model.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

std::vector<TableColumn<OverlapLine>> overlapColumns() {
  const auto column = [](const char* title, auto number) {
    return TableColumn<OverlapLine>{
        title,
        [number](const OverlapLine& line) {
          const double ns = number(line);
          return ns < 0 ? QString("-") : ns == 0 ? QString("0") : timeText(ns, line.abstract);
        },
        number};
  };
  return {
      {"collective", [](const OverlapLine& line) { return qs(line.row.name); }},
      column("exposed", [](const OverlapLine& line) { return line.row.totalExposedNs(); }),
      column("other side", [](const OverlapLine& line) { return line.otherExposedNs; }),
      {"times", [](const OverlapLine& line) { return countText(line.row.times); },
       [](const OverlapLine& line) { return static_cast<double>(line.row.times); }},
      column("takes", [](const OverlapLine& line) { return line.row.latencyNs; }),
      column("overlapped compute", [](const OverlapLine& line) { return line.row.workNs; }),
      column("queued", [](const OverlapLine& line) { return line.row.queuedNs; }),
      {"what", [](const OverlapLine& line) { return qs(line.row.what); }},
      {"source", [](const OverlapLine& line) { return line.source; }},
      {"computation", [](const OverlapLine& line) { return qs(line.row.computation); }},
  };
}

std::vector<TableColumn<MovedInstruction>> movedColumns() {
  return {
      {"instruction", [](const MovedInstruction& r) { return qs(r.name); }},
      {"in A", [](const MovedInstruction& r) { return countText(static_cast<int64_t>(r.placeA) + 1); },
       [](const MovedInstruction& r) { return static_cast<double>(r.placeA); }},
      {"in B", [](const MovedInstruction& r) { return countText(static_cast<int64_t>(r.placeB) + 1); },
       [](const MovedInstruction& r) { return static_cast<double>(r.placeB); }},
      {"why", [](const MovedInstruction& r) { return qs(r.why); }},
      {"computation", [](const MovedInstruction& r) { return qs(r.computation); }},
  };
}

}  // namespace

SchedulePanels::SchedulePanels(QWidget* parent)
    : QTabWidget(parent),
      answers_(new AnswerPanel(this)),
      options_(new OptionModel(this)),
      overlapModel_(overlapColumns()),
      movedModel_(movedColumns()) {
  setAccessibleName("Answers and settings");
  setDocumentMode(true);
  setMinimumWidth(200);
  addTab(answers_, "Why");
  buildOverlaps();
  buildSettings();
  buildChanges();
}

TableView* SchedulePanels::buildTable(QAbstractItemModel& model, const QString& name, const QString& empty) {
  auto* table = new TableView(this);
  table->setModel(&model);
  table->setEmptyText(empty);
  table->setAccessibleName(name);
  return table;
}

void SchedulePanels::buildOverlaps() {
  overlapTable_ = buildTable(overlapModel_, "Collectives", "No collectives: there is nothing to hide.");
  overlapTable_->setColumnWidths({16, 9, 11, 7, 10, 14, 10, 24, 24, 20});
  addTab(overlapTable_, "Collectives");
  connect(overlapTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    if (const OverlapLine* line = overlapModel_.rowAt(index)) Q_EMIT instructionActivated(line->row.start);
  });
}

void SchedulePanels::buildSettings() {
  auto* table = new QTreeView(this);
  table->setModel(options_);
  table->setRootIsDecorated(false);
  table->setUniformRowHeights(true);
  table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  table->header()->resizeSection(OptionModel::kName, 210);
  table->header()->resizeSection(OptionModel::kValue, 80);
  table->setAccessibleName("Settings");
  addTab(table, "Settings");
}

void SchedulePanels::buildChanges() {
  auto* changes = new QWidget(this);
  auto* layout = new QVBoxLayout(changes);
  layout->setContentsMargins(0, 0, 0, 0);
  movedHead_ = new QLabel("Press “Compare A/B” to see what moved between the two orders.", changes);
  movedHead_->setWordWrap(true);
  movedHead_->setMargin(kSpace);
  movedHead_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  movedHead_->setAccessibleName("What moved");
  TableView* table = buildTable(movedModel_, "Instructions that moved", "Nothing moved.");
  table->setColumnWidths({20, 7, 7, 60, 20});
  layout->addWidget(movedHead_);
  layout->addWidget(table, 1);
  addTab(changes, "Changes");
  connect(table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    if (const MovedInstruction* row = movedModel_.rowAt(index)) Q_EMIT instructionActivated(row->instruction);
  });
}

void SchedulePanels::clearRows() {
  answers_->clearAnswer();
  movedModel_.setRows({});
  overlapModel_.setRows({});
}

void SchedulePanels::showOverlaps(const ShownOrder& edited, const ShownOrder* other) {
  absl::flat_hash_map<InstructionId, double> beside;
  if (other != nullptr) {
    for (const OverlapRow& row : other->overlaps) beside[row.start] = row.totalExposedNs();
  }
  std::vector<OverlapLine> lines;
  for (const OverlapRow& row : edited.overlaps) {
    const auto found = beside.find(row.start);
    const Instruction* start = edited.outcome.module->instruction(row.start);
    lines.push_back({row, found == beside.end() ? -1 : found->second, isAbstract(edited.outcome.scenario),
                     start == nullptr ? QString() : sourceText(*start)});
  }
  setTabText(indexOf(overlapTable_),
             lines.empty() ? QString("Collectives") : QString("Collectives (%1)").arg(lines.size()));
  overlapModel_.setRows(std::move(lines));
}

void SchedulePanels::showMoved(const ScheduleComparison& comparison) {
  movedModel_.setRows(comparison.moved);
  const double a = comparison.a.exposedNs, b = comparison.b.exposedNs;
  movedHead_->setText(QString("%1 moved from A to B. Exposed: A %2, B %3. Peak: A %4, B %5.")
                          .arg(countOf(comparison.movedCount, "instruction"),
                               timeText(a, comparison.abstract), timeText(b, comparison.abstract),
                               bytesText(comparison.a.peakBytes), bytesText(comparison.b.peakBytes)));
}

bool SchedulePanels::showTab(const QString& name) {
  const qsizetype index = QStringList({"why", "collectives", "settings", "changes"}).indexOf(name);
  if (index >= 0) setCurrentIndex(static_cast<int>(index));
  return index >= 0;
}

}  // namespace hilo
