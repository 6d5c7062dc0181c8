// The passes view: a pipeline as a strip; for the current step what changed, side by side in text and graph,
// the remarks of the pass, and the life of the selected instruction through all steps.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QWidget>

#include "core/analysis/diff/alike_changes.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/passes/pass_series.h"
#include "ui/models/table_model.h"
#include "ui/views/passes/history_pane.h"
#include "ui/views/passes/lineage_rows.h"
#include "ui/views/passes/pass_strip.h"
#include "ui/widgets/graph_pair.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class DiffPanel;
class DiffTextView;
class WrappingRow;

class PassesView : public View {
  Q_OBJECT

 public:
  explicit PassesView(const ViewContext& context, QWidget* parent = nullptr);
  ~PassesView() override;

  PassStrip& strip() { return *strip_; }
  SeriesId shownSeries() const;  // invalid while there is none
  const TableModel<InstructionChange>& changes() const { return changes_; }
  const TableModel<AlikeChanges>& alike() const { return alike_; }
  TableView& alikeTable() { return *alikeTable_; }
  HistoryPane& history() { return *history_; }
  DiffTextView& text() { return *text_; }
  // Asks for passes and runs them over the current module; the outcome becomes the shown series.
  void askAndRun();
  void run(OptimizeRequest request);
  // Goes to the next or previous change.
  void step(int direction);
  // Runs the pipeline gpu over the first stage of the dump whose series is shown, beside its stages.
  void runBeside();
  // Asks for another module, and shows what differs between it and the current one.
  void askWhatToCompare();

  bool isSettled() const override { return graphs_ == nullptr || graphs_->isSettled(); }
  std::vector<PaletteCommand> paletteCommands() override;
  // Runs --passes, or the first pipeline where no series is known; of two inputs, compares them. Error kinds:
  // "is-a-directory", "no-such-step".
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString commandLine(ShownState state) const override;
  void take(const ViewAsk& what) override;

 private:
  Status makeSeries(const RenderRequest& request, const RenderSteps& steps);
  Status compareInputs(const RenderRequest& request, const RenderSteps& steps);
  Result<OptimizeRequest> passesAsked(const RenderRequest& request) const;
  void addActions();
  struct StepContent;
  void buildBar();
  void buildTables(QTabWidget& tabs);
  void addSeries(SeriesId id);
  void closeSeries(SeriesId id);
  void showNothing();
  void buildBeside(WrappingRow& bar);
  void showBeside();
  void measurePairs();
  std::optional<size_t> comparedWith(size_t step) const;
  void showChangesOf(const AlikeChanges* alike);
  void showSeries(int index);
  void measureSteps();
  void showStep(int step);
  void showContent(size_t step, std::shared_ptr<const StepContent> content);
  void showText();
  void revealInText(const InstructionChange& change);
  void selectLine(uint32_t line, bool inAfter);
  void activateName(const QString& name, bool inAfter);
  void showStepInViews(int step);
  void selectChange(const QModelIndex& index, bool activate);
  void selectRemark(const QModelIndex& index);
  void showRemarksOf(size_t step);
  void showThunks();
  void followSelection(const Selection& selection);
  void lookAt(InstructionId id, bool inAfter);
  void goToHistory(const HistoryEntry& entry);
  void buildLineage(QTabWidget& tabs);
  void showLineage(InstructionId id, bool inAfter);
  void goToOrigin(const QModelIndex& index);
  void noteDiff(size_t step, const StepDiff& diff);
  SnapshotId snapshotOfStep(size_t step, const std::shared_ptr<const Module>& module);

  JobScope scope_;
  std::shared_ptr<const PassSeries> series_;
  std::vector<StripStep> stripSteps_;
  std::shared_ptr<const StepContent> content_;
  size_t contentStep_ = 0;
  std::optional<HistoryEntry> wanted_;  // to go to once its step is shown

  QComboBox* seriesBox_;
  QCheckBox* fold_;
  QPushButton* thunksButton_;
  QPushButton* besideButton_;
  QComboBox* compareWith_;  // the step before, or the other of its pair
  QLabel* caption_;
  MessageLine* message_;  // why passes could not be run
  PassStrip* strip_;
  QTabWidget* lists_;
  QTabWidget* panes_;
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
  DiffPanel* diff_ = nullptr;
  DiffTextView* text_ = nullptr;  // of diff_
  GraphPair* graphs_ = nullptr;
};

}  // namespace hilo
