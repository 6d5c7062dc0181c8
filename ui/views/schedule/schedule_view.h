// The schedule of the current module: what runs when, what waits for what, and what would be if. Two sides,
// A and B, each an order with its settings and edits, shown one at a time or one below the other.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QToolBar>

#include "ui/models/table_model.h"
#include "ui/views/schedule/schedule_experiment.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/view.h"

class QPlainTextEdit;
class QTreeView;

namespace hilo {

class AnswerPanel;
class OptionModel;
class ScenarioShelf;
class ScheduleCanvas;
class TableView;

// A collective of the edited side, beside what it exposes on the other.
struct OverlapLine {
  OverlapRow row;
  double otherExposedNs = -1;  // in all; negative: not known there
  bool abstract = false;       // times are units
};

class ScheduleView : public View {
  Q_OBJECT

 public:
  enum class Sides : uint8_t { kA, kB, kBoth };

  explicit ScheduleView(const ViewContext& context, QWidget* parent = nullptr);
  ~ScheduleView() override;
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::NotPartitioned;
  }

  // Both: the side edits go to is the one that was shown, or clicked last.
  void showSides(Sides sides);
  Sides sides() const { return sides_; }
  void setPreset(const QString& preset);
  void setDevice(const QString& device);
  void setOption(const QString& name, const QString& value);
  void setLatency(const QString& instruction, double microseconds);
  void move(const ScheduleMove& move);
  // Holds the selected instruction between its neighbours, or lets it go.
  void togglePin();
  void undo();
  void redo();
  // An order from a file: names one a line, or HLO text.
  void takeOrder(const QString& path);
  void exportTo(const QString& path, ScheduleExport form);
  void saveScenario(const QString& path);
  void loadScenario(const QString& path);
  // For pictures, words with commas between: "a", "b", "both", "program-order", "zoom" (to the selection),
  // "preset=NAME", "device=NAME", "move=NAME:BEFORE", "order=FILE", "tab=why|collectives|settings|changes".
  // Fails with "unknown-word".
  Status arrange(const QString& words);
  Status arrange(const RenderRequest& request, const RenderSteps& steps) override;
  // After arrange: what can be done only once the orders are there.
  void arrangeShown();

  ScheduleCanvas& canvas() { return *canvas_; }
  ScheduleExperiment& experiment() { return *experiment_; }
  AnswerPanel& answers() { return *answers_; }
  OptionModel& options() { return *options_; }
  ScenarioShelf& shelf() { return *shelf_; }
  TableModel<OverlapLine>& overlaps() { return overlapModel_; }
  TableModel<MovedInstruction>& moved() { return movedModel_; }
  QTabWidget& tabs() { return *tabs_; }
  QString head() const { return head_->text(); }
  QString worst() const { return worst_->text(); }
  // Which device the times are of, and why; "" once another one is chosen.
  QString target() const { return target_->text(); }
  QComboBox& deviceBox() { return *device_; }
  QString status() const { return status_->text(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* buildHead();
  void buildToolBar();
  void buildPresetBoxes();
  void buildSides();
  void buildMenus();
  QWidget* buildPanels();
  void connectExperiment();
  void connectCanvas();
  QAction* addAction(const QString& text, const QString& tip, const QKeySequence& keys,
                     std::function<void()> run);
  void refresh();
  void showOrder(ScheduleSide side);
  void showCharts(bool fit);
  void showHead();
  void showTarget();
  void showDevice(const QString& device);
  void showFigures();
  void showOverlaps();
  void explainWorst();
  QString otherSideText() const;
  void showControls();
  void showSelection(const Selection& selection);
  void selectStudied(InstructionId id);
  void tell(InstructionId id, void (SelectionBus::*verb)(const Selection&));
  void goToName(const QString& name);
  void explainSelected();
  void changeScenario(const std::function<void(ScheduleScenario&)>& edit);
  void showMenu(QPoint globalPlace);
  void askLatency();
  void askExport(ScheduleExport form);
  void askFile(bool save, const QString& title, const QString& filter,
               std::function<void(const QString&)> take);
  void fillShelfMenu();
  void say(const QString& text, bool error = false);
  InstructionId running(const Module& module, InstructionId id) const;
  const ShownOrder* editedOrder() const { return experiment_->shown(edited_).get(); }
  const ShownOrder* otherOrder() const {
    return experiment_->shown(edited_ == ScheduleSide::A ? ScheduleSide::B : ScheduleSide::A).get();
  }
  QString sideTitle(ScheduleSide side) const;

  JobScope scope_;
  SnapshotId asked_;
  ScheduleExperiment* experiment_;
  ScenarioShelf* shelf_;
  Sides sides_ = Sides::kA;
  ScheduleSide edited_ = ScheduleSide::A;
  InstructionId selected_;  // of the study
  InstructionId askedWhy_;
  std::optional<ScheduleMetrics> before_;  // of the edited side, before its latest change
  bool zoomWhenShown_ = false;
  bool filling_ = false;  // controls are set by the view, not by the user

  QLabel *head_, *worst_, *status_;
  MessageLine* target_;
  QToolBar* bar_;
  QAction *sideA_, *sideB_, *both_, *slots_, *undo_, *redo_;
  QComboBox *preset_, *device_;
  QMenu* shelfMenu_ = nullptr;
  QSplitter* split_;
  ScheduleCanvas* canvas_;
  QTabWidget* tabs_;
  AnswerPanel* answers_;
  OptionModel* options_;
  QTreeView* optionTable_;
  TableView* overlapTable_;
  TableView* movedTable_;
  QLabel* movedHead_;
  TableModel<OverlapLine> overlapModel_;
  TableModel<MovedInstruction> movedModel_;
};

}  // namespace hilo
