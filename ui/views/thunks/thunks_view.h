// What a compiled module runs: thunks as a graph of what must wait for what, as a table and as a timeline by
// thread, of a GPU by stream as planned, with the time each takes, the bytes it reads and writes, and its
// kernel from HLO to assembly. Follows what the session shows: of a dump with a thunk sequence, an executable
// or a sequence by itself XLA's own thunks, a saved program, or the current module, compiled. Nothing runs
// until it is asked for; the times come into what is drawn already.
#pragma once

#include <QTabWidget>
#include <QWidget>

#include "core/workspace/thunks/thunk_study.h"
#include "ui/views/thunks/heat_legend.h"
#include "ui/views/thunks/kernel_pane.h"
#include "ui/views/thunks/race_table.h"
#include "ui/views/thunks/thunk_dependencies.h"
#include "ui/views/thunks/thunk_graph.h"
#include "ui/views/thunks/thunk_lanes.h"
#include "ui/views/thunks/thunk_moment_link.h"
#include "ui/views/thunks/thunk_table.h"
#include "ui/views/thunks/thunks_head.h"
#include "ui/widgets/view.h"

namespace hilo {

class ThunksView : public View {
  Q_OBJECT

 public:
  explicit ThunksView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::NotPartitioned;
  }

  // Compiles the current module, for this processor or the GPU that is chosen; answered later.
  void compile();
  // Runs what was compiled and times it; answered later.
  void measure();
  // The kept run selected in the list of runs, null for none: its times are shown where it ran these thunks;
  // a run of another module, or of an engine without thunks, leaves the times as they are.
  void setRun(std::shared_ptr<const RunRecord> run);
  void take(const ViewAsk& what) override;
  // Selects the thunk of this name; of thunks that are still being made once they are there. False:
  // there is none.
  bool goTo(const QString& name) override;
  CanvasWidget& canvas() { return *graph_; }
  ThunkTable& table() { return *table_; }
  ThunkLanes& lanes() { return *lanes_; }
  KernelPane& kernel() { return *kernel_; }
  QTabWidget& tabs() { return *details_; }
  HeatLegend& legend() { return *legend_; }
  ThunkDependencies& dependencies() { return *dependencies_; }
  RaceTable& races() { return *races_; }
  QPushButton& nextButton() { return head_->nextButton(); }
  QPushButton& stopButton() { return head_->stopButton(); }
  QComboBox& targetBox() { return head_->targetBox(); }
  QString head() const { return head_->text(); }
  bool isMeasured() const {
    return drawn_ != nullptr && !drawn_->study.timeline.empty() && !drawn_->study.isPlanned;
  }

  bool hasContent() const override {
    return View::hasContent() || context_.session.shownCompiled() != nullptr;
  }
  // Compiles the module unless its thunks are known; with --run they are measured.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  QString pictureOptions() const override { return isMeasured() ? "--run" : QString(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // What the thunks are of.
  struct Shown {
    SnapshotId module;
    DocumentId compiled;  // a saved program, or thunks by themselves
    bool operator==(const Shown&) const = default;
  };
  struct Drawn {
    ThunkStudy study;
    ClosedThunks closed;
    std::shared_ptr<const IndexedScene> scene;
    ThunkTimeline timeline;
  };
  using MakeStudy = std::function<Result<ThunkStudy>(const JobContext&)>;
  void buildDetails(QWidget* below);
  void connectParts();
  void refresh();
  // `again`: the thunks stay the ones that are drawn, and whatever is closed, selected and in sight.
  void ask(const QString& title, MakeStudy make, bool again = false);
  void show(std::shared_ptr<const Drawn> drawn, bool again);
  void sayWhyNot(const QString& title, const Diagnostic& why);
  void offerTabs(bool again);
  void setBusy(JobId job);
  void clear(const QString& text);
  void select(uint32_t thunk, bool tell);
  void goToRace(const ThunkRace& race);
  void tellSelection(InstructionId instruction);
  void showKernel();
  // Compiled otherwise than the module says, where that is asked for.
  void askForKernel(const std::optional<LlvmKernelOptions>& options);
  void follow(const Selection& selection);
  void goToValue(const QString& name);

  JobScope scope_;
  Shown shown_;
  std::shared_ptr<const RunRecord> run_;
  uint64_t asked_ = 0;  // counts what was asked for: late answers are of another number
  std::shared_ptr<const Drawn> drawn_;
  uint32_t selected_ = StudiedThunk::kNone;
  uint32_t kernelOf_ = StudiedThunk::kNone;  // whose kernel is shown, or asked for
  bool telling_ = false;
  QString wanted_;  // the name of a thunk to select when they are there
  ThunksHead* head_;
  ThunkGraph* graph_;
  ThunkTable* table_;
  QTabWidget* details_;
  HeatLegend* legend_;  // between the graph and the timeline, which both have the colours
  ThunkLanes* lanes_;
  ThunkMomentLink* moments_;
  ThunkDependencies* dependencies_;
  RaceTable* races_;
  KernelPane* kernel_;
};

}  // namespace hilo
