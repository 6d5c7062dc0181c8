// The passes view: a pipeline as a strip; for the current step what changed, side by side in text and graph,
// the remarks of the pass, and the life of the selected instruction through all steps.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "core/workspace/passes/optimize.h"
#include "ui/views/passes/beside_controls.h"
#include "ui/views/passes/pass_strip.h"
#include "ui/views/passes/step_lists.h"
#include "ui/views/passes/step_panes.h"
#include "ui/views/passes/strip_facts.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/view.h"

namespace hilo {

class PassesView : public View {
  Q_OBJECT

 public:
  explicit PassesView(const ViewContext& context, QWidget* parent = nullptr);

  PassStrip& strip() { return *strip_; }
  SeriesId shownSeries() const;  // invalid while there is none
  QCheckBox& onlyOfSelection() { return *only_; }
  StepLists& lists() { return *lists_; }
  StepPanes& panes() { return *panes_; }
  // Asks for passes and runs them over the current module; the outcome becomes the shown series.
  void askAndRun();
  void run(OptimizeRequest request);
  // Goes to the next or previous change.
  void step(int direction);
  // Runs the pipeline gpu over the first stage of the dump whose series is shown, beside its stages.
  void runBeside();
  // Asks for another module, and shows what differs between it and the current one.
  void askWhatToCompare();

  bool isSettled() const override { return panes_->isSettled(); }
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
  void buildBar();
  void connectPanes();
  void addSeries(SeriesId id);
  void closeSeries(SeriesId id);
  void showNothing();
  void showSeries(int index);
  void showStep(int step);
  void showContent(size_t step, std::shared_ptr<const StepContent> content);
  void selectLine(uint32_t line, bool inAfter);
  void activateName(const QString& name, bool inAfter);
  void showStepInViews(int step);
  void selectChange(const InstructionChange& change, bool activate);
  void selectRemark(InstructionId before);
  void showThunks();
  void followSelection(const Selection& selection);
  void filterStrip();
  void lookAt(InstructionId id, bool inAfter);
  void goToHistory(const HistoryEntry& entry);
  SnapshotId snapshotOfStep(size_t step, const std::shared_ptr<const Module>& module);

  JobScope scope_;
  std::shared_ptr<const PassSeries> series_;
  std::shared_ptr<const StepContent> content_;
  size_t contentStep_ = 0;
  std::optional<HistoryEntry> wanted_;  // to go to once its step is shown

  QComboBox* seriesBox_;
  QCheckBox* fold_;
  QCheckBox* only_;  // steps that changed the selection
  QPushButton* thunksButton_;
  BesideControls* beside_;
  QLabel* caption_;
  MessageLine* message_;  // why passes could not be run
  PassStrip* strip_;
  StripFacts* facts_;
  StepLists* lists_;
  StepPanes* panes_;
};

}  // namespace hilo
