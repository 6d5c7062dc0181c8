// What there is to list of a step: its changes, alike ones once, the remarks of the pass, the life of an
// instruction through the series, and what one came from on the other side. It says what is chosen.
#pragma once

#include <QTabWidget>

#include "ui/models/table_model.h"
#include "ui/views/passes/history_pane.h"
#include "ui/views/passes/lineage_rows.h"
#include "ui/views/passes/step_content.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class StepLists : public QTabWidget {
  Q_OBJECT

 public:
  explicit StepLists(JobQueue& jobs, QWidget* parent = nullptr);

  // Null: nothing is shown any more.
  void setSeries(std::shared_ptr<const PassSeries> series);
  void showContent(std::shared_ptr<const StepContent> content);
  // Of a step of lowering they are what it made: they come to the front.
  void showRemarks(const SeriesStep& of);
  void showLineage(InstructionId id, bool inAfter);
  void showHistory() { setCurrentWidget(history_); }

  const TableModel<InstructionChange>& changes() const { return changes_; }
  const TableModel<AlikeChanges>& alike() const { return alike_; }
  TableView& alikeTable() { return *alikeTable_; }
  HistoryPane& history() { return *history_; }

 Q_SIGNALS:
  void changeChosen(const hilo::InstructionChange& change, bool activate);
  void remarkChosen(hilo::InstructionId before);  // in the module before the pass
  void historyChosen(const hilo::HistoryEntry& entry);
  void originChosen(hilo::InstructionId before, hilo::InstructionId after);  // one of them

 private:
  void buildTables(JobQueue& jobs);
  void buildLineage();
  void showChangesOf(const AlikeChanges* alike);

  std::shared_ptr<const StepContent> content_;
  TableView* alikeTable_;
  TableView* changesTable_;
  TableView* remarksTable_;
  HistoryPane* history_;
  TableView* lineageTable_;
  TableModel<AlikeChanges> alike_;
  TableModel<InstructionChange> changes_;
  TableModel<Remark> remarks_;
  TableModel<LineageRow> lineage_;
  bool lineageIsOfAfter_ = true;  // of an instruction of the module after
};

}  // namespace hilo
