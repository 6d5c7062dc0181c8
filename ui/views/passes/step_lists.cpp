#include "ui/views/passes/step_lists.h"

#include "ui/models/text_of.h"
#include "ui/views/passes/change_colours.h"
#include "ui/widgets/table_tab.h"

namespace hilo {
namespace {

QString changeText(ChangeKind kind) { return qs(changeName(kind)); }

std::vector<TableColumn<InstructionChange>> changeColumns() {
  return {
      {"change", [](const InstructionChange& c) { return changeText(c.kind); }},
      {"instruction", [](const InstructionChange& c) { return qs(c.name); }},
      {"what", [](const InstructionChange& c) { return qs(c.what); }},
  };
}

std::vector<TableColumn<AlikeChanges>> alikeColumns() {
  return {
      {"count", [](const AlikeChanges& a) { return QString::number(a.count); },
       [](const AlikeChanges& a) { return static_cast<double>(a.count); }},
      {"change", [](const AlikeChanges& a) { return a.isPattern ? QString("pattern") : changeText(a.kind); }},
      {"opcode", [](const AlikeChanges& a) { return qs(a.opcode); }},
      {"what", [](const AlikeChanges& a) { return qs(a.what); }, nullptr,
       [](const AlikeChanges& a) { return a.isPattern ? qs(a.what).replace("; ", "\n") : QString(); }},
  };
}

std::vector<TableColumn<Remark>> remarkColumns() {
  return {
      {"kind", [](const Remark& r) { return qs(r.kind); }},
      {"instruction", [](const Remark& r) { return qs(r.name); }},
      {"message", [](const Remark& r) { return qs(r.message); }},
  };
}

}  // namespace

StepLists::StepLists(JobQueue& jobs, QWidget* parent)
    : QTabWidget(parent),
      alike_(alikeColumns()),
      changes_(changeColumns()),
      remarks_(remarkColumns()),
      lineage_(lineageColumns()) {
  setDocumentMode(true);
  setAccessibleName("Lists of the step");
  buildTables(jobs);
}

void StepLists::buildTables(JobQueue& jobs) {
  alikeTable_ = addTable(*this, alike_, "Summary",
                         "Changes that are alike, once each with their number.\nEnter lists those of a row.");
  alikeTable_->setColumnWidths({9, 9, 18, 30});
  changesTable_ =
      addTable(*this, changes_, "Changes",
               "This step changed nothing.\nn and p in the strip go to the next and previous change.");
  changesTable_->setColumnWidths({9, 24, 20});
  remarksTable_ = addTable(*this, remarks_, "Remarks", "The pass of this step said nothing.");
  remarksTable_->setColumnWidths({9, 20, 40});
  history_ = new HistoryPane(jobs, this);
  addTab(history_, "History");
  buildLineage();
  alike_.setForeground(
      [this](const AlikeChanges& a) { return a.isPattern ? QVariant() : colourOfChange(a.kind, *this); });
  connect(alikeTable_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& i) { showChangesOf(alike_.rowAt(i)); });
  changes_.setForeground([this](const InstructionChange& c) { return colourOfChange(c.kind, *this); });
  const auto choose = [this](const QModelIndex& index, bool activate) {
    if (const InstructionChange* change = changes_.rowAt(index)) Q_EMIT changeChosen(*change, activate);
  };
  connect(changesTable_, &TableView::currentRowChanged, this,
          [choose](const QModelIndex& index) { choose(index, false); });
  connect(changesTable_, &QAbstractItemView::activated, this,
          [choose](const QModelIndex& index) { choose(index, true); });
  connect(remarksTable_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    const Remark* remark = remarks_.rowAt(index);
    if (remark != nullptr && remark->instruction.valid()) Q_EMIT remarkChosen(remark->instruction);
  });
  connect(history_, &HistoryPane::activated, this, &StepLists::historyChosen);
}

void StepLists::buildLineage() {
  lineageTable_ = new TableView(this);
  lineageTable_->setAccessibleName("Lineage");
  lineageTable_->setModel(&lineage_);
  lineageTable_->setEmptyText(
      "Put the caret on an instruction, or choose a change: what it came from on the other side, or became "
      "there. Of a fusion, what each of its instructions came from. Enter goes there.");
  lineageTable_->setColumnWidths({16, 10, 60});
  addTab(lineageTable_, "Lineage");
  connect(lineageTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    const LineageRow* row = lineage_.rowAt(index);
    if (row == nullptr) return;
    lineageIsOfAfter_ ? Q_EMIT originChosen(row->other, {}) : Q_EMIT originChosen({}, row->other);
  });
}

void StepLists::setSeries(std::shared_ptr<const PassSeries> series) {
  content_.reset();
  history_->setSeries(series);
  if (series != nullptr) return;
  alike_.setRows({});
  changes_.setRows({});
  remarks_.setRows({});
  lineage_.setRows({});
}

void StepLists::showContent(std::shared_ptr<const StepContent> content) {
  content_ = std::move(content);
  alike_.setRows(content_->alike);
  lineage_.setRows({});
  showChangesOf(nullptr);
}

void StepLists::showRemarks(const SeriesStep& of) {
  remarks_.setRows(of.remarks);
  const int count = remarks_.rowCount();
  setTabText(indexOf(remarksTable_), count == 0 ? QString("Remarks") : QString("Remarks (%1)").arg(count));
  if (of.isLowering()) setCurrentWidget(remarksTable_);
}

void StepLists::showLineage(InstructionId id, bool inAfter) {
  lineageIsOfAfter_ = inAfter;
  std::vector<LineageRow> rows = lineageRows(content_->text, id, inAfter);
  setTabText(indexOf(lineageTable_),
             rows.empty() ? QString("Lineage") : QString("Lineage (%1)").arg(rows.size()));
  lineage_.setRows(std::move(rows));
}

// Those of a row of the summary, or all.
void StepLists::showChangesOf(const AlikeChanges* alike) {
  if (!content_) return;
  const std::vector<InstructionChange>& all = content_->changes;
  const int tab = indexOf(changesTable_);
  if (alike == nullptr) {
    changes_.setRows(all);
    setTabText(tab, "Changes");
    return;
  }
  std::vector<InstructionChange> chosen;
  for (const size_t n : alike->members) chosen.push_back(all[n]);
  setTabText(tab, QString("Changes (%1 of %2)").arg(chosen.size()).arg(all.size()));
  changes_.setRows(std::move(chosen));
  setCurrentWidget(changesTable_);
  changesTable_->setCurrentIndex(changes_.index(0, 0));
  changesTable_->setFocus(Qt::OtherFocusReason);
}

}  // namespace hilo
