// The schedule of the current module: what runs when, what waits for what, and what would be if. Two sides,
// A and B, each an order with its settings and edits, shown one at a time or one below the other.
#pragma once

#include <QLabel>

#include "ui/views/schedule/edited_side.h"
#include "ui/views/schedule/measured_times.h"
#include "ui/views/schedule/schedule_bar.h"
#include "ui/views/schedule/schedule_experiment.h"
#include "ui/views/schedule/schedule_files.h"
#include "ui/views/schedule/schedule_head.h"
#include "ui/views/schedule/schedule_panels.h"
#include "ui/widgets/view.h"

namespace hilo {

class MomentLink;
class ScheduleCanvas;

class ScheduleView : public View {
  Q_OBJECT

 public:
  explicit ScheduleView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::NotPartitioned;
  }

  // Both: the side edits go to is the one that was shown, or clicked last.
  void showSides(ScheduleSides sides);
  // For pictures, words with commas between: "a", "b", "both", "program-order", "zoom" (to the selection),
  // "preset=NAME", "device=NAME", "move=NAME:BEFORE", "order=FILE", "measured=FILE",
  // "tab=why|collectives|settings|changes". Fails with "unknown-word".
  Status arrange(const QString& words);
  Status arrange(const RenderRequest& request, const RenderSteps& steps) override;
  void take(const ViewAsk& what) override;

  ScheduleCanvas& canvas() { return *canvas_; }
  ScheduleExperiment& experiment() { return *experiment_; }
  EditedSide& edited() { return *edited_; }
  ScheduleHead& head() { return *head_; }
  ScheduleBar& bar() { return *bar_; }
  SchedulePanels& panels() { return *panels_; }
  ScheduleFiles& files() { return *files_; }
  MeasuredTimes& measured() { return *measured_; }
  QString status() const { return status_->text(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectExperiment();
  void connectCanvas();
  void connectControls();
  void refresh();
  void showOrder(ScheduleSide side);
  void showCharts(bool fit);
  void showHead();
  void showTarget();
  void showChange();
  void showControls();
  void showSelection(const Selection& selection);
  void selectStudied(InstructionId id);
  void jumpTo(InstructionId id);
  void tell(InstructionId id, void (SelectionBus::*verb)(const Selection&));
  void explainSelected();
  void showMenu(QPoint globalPlace);
  void askLatency();
  void togglePin();
  void say(const QString& text, bool error = false);
  const Instruction* selectedInstruction() const;

  SnapshotId asked_;
  ScheduleExperiment* experiment_;
  EditedSide* edited_;
  ScheduleSides sides_ = ScheduleSides::A;
  InstructionId selected_;  // of the study
  InstructionId askedWhy_;
  bool zoomWhenShown_ = false;

  ScheduleHead* head_;
  ScheduleCanvas* canvas_;
  ScheduleBar* bar_;
  SchedulePanels* panels_;
  ScheduleFiles* files_;
  MeasuredTimes* measured_;
  MomentLink* moments_;
  QLabel* status_;
};

}  // namespace hilo
