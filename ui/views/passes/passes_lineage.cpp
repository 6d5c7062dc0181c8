// What the selected instruction of a step came from on the other side, or became there.
#include "ui/views/passes/passes_view.h"
#include "ui/views/passes/step_content.h"
#include "ui/widgets/diff_text_view.h"

namespace hilo {
void PassesView::buildLineage(QTabWidget& tabs) {
  lineageTable_ = new TableView(&tabs);
  lineageTable_->setAccessibleName("Lineage");
  lineageTable_->setModel(&lineage_);
  lineageTable_->setEmptyText(
      "Put the caret on an instruction, or choose a change: what it came from on the other side, or became "
      "there. Of a fusion, what each of its instructions came from. Enter goes there.");
  lineageTable_->setColumnWidths({16, 10, 60});
  tabs.addTab(lineageTable_, "Lineage");
  connect(lineageTable_, &QAbstractItemView::activated, this, &PassesView::goToOrigin);
}

void PassesView::showLineage(InstructionId id, bool inAfter) {
  lineageIsOfAfter_ = inAfter;
  std::vector<LineageRow> rows = lineageRows(content_->text, id, inAfter);
  lists_->setTabText(lists_->indexOf(lineageTable_),
                     rows.empty() ? QString("Lineage") : QString("Lineage (%1)").arg(rows.size()));
  lineage_.setRows(std::move(rows));
}

void PassesView::goToOrigin(const QModelIndex& index) {
  const LineageRow* row = lineage_.rowAt(index);
  if (row == nullptr || !content_) return;
  const InstructionId before = lineageIsOfAfter_ ? row->other : InstructionId();
  const InstructionId after = lineageIsOfAfter_ ? InstructionId() : row->other;
  revealInText({.before = before, .after = after});
  if (graphs_ != nullptr) graphs_->reveal(before, after);
}

}  // namespace hilo
