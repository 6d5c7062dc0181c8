// The graph of a module. Starts with little open; what is opened is laid out off the UI thread and unfolds in
// place. Selection goes in through select() and out through signals, by instruction id. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "core/workspace/job_queue.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/views/graph/focus_choice.h"
#include "ui/views/graph/graph_colours.h"
#include "ui/views/graph/graph_export.h"
#include "ui/views/graph/graph_worker.h"
#include "ui/views/graph/shown_picture.h"

class QLabel;
class QMenu;

namespace hilo {

class GraphLegend;
class GraphToolBar;

class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(JobQueue& jobs, QWidget* parent = nullptr);

  // Null shows nothing. Open groups and the selection are kept where the new module has the same ones.
  void setModule(std::shared_ptr<const Module> module);
  void setGrouping(GroupingMode mode);
  GroupingMode grouping() const { return mode_; }
  // Get-tuple-elements, small constants and spread numbers as tags on their users; on at first.
  void setFolding(bool fold);

  // Selects and shows the instruction; with follow on (the default), the groups around it open.
  // Does not emit.
  void select(InstructionId id);
  InstructionId selected() const { return selection_.selected(); }
  // The selection, where it is in the picture that is shown.
  void bringIntoSight();
  void setFollow(bool follow) { follow_ = follow; }
  // Outlines; closed groups show that something in them is marked. Cleared by setModule.
  // Edges between what is on `way` are lit.
  void setMarks(absl::flat_hash_map<InstructionId, SceneMark> marks,
                absl::flat_hash_set<InstructionId> way = {});
  // What is being done, or why it could not be, below the graph.
  void say(const QString& what);
  // Around the selection by name: a number of hops, "operands" or "users". Fails with "unknown-word".
  Status focusBy(const QString& name);
  // How it is arranged, for what arranges it so again: "computations", "unfolded", "colour=flops",
  // "query=opcode:dot", "focus=2", "legend".
  QStringList arrangement() const;

  // Only a part of the graph. Nothing happens when the instruction is not in the module.
  void focusOn(const GraphFocus& focus);
  void leaveFocus();
  bool hasFocus() const { return focus_.has_value(); }
  void toggle(uint64_t key);
  // Back to the first look.
  void closeAll();
  void openAll();

  // Where layouts are kept between runs of the program; "" keeps none.
  void setLayoutFolder(const QString& folder);

  CanvasWidget* canvas() const { return canvas_; }
  GraphColours& colours() { return *colours_; }
  const GraphColours& colours() const { return *colours_; }
  GraphExport& exports() { return export_; }
  GraphLegend& legend() { return *legend_; }
  // A picture of the module set last is on the canvas, if perhaps not the final one.
  bool isShown() const { return picture_.get() != nullptr; }
  // False while something is being grouped or laid out.
  bool isSettled() const { return !worker_.busy() && !colours_->isMatching(); }

 Q_SIGNALS:
  void instructionSelected(hilo::InstructionId id);  // not valid when the selection was cleared
  void instructionActivated(hilo::InstructionId id);
  void instructionHovered(hilo::InstructionId id);
  // The menu of the selected instruction is about to be shown: the owner adds what else can be done.
  void menuAsked(QMenu* menu);
  void settled();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectToolBar(JobQueue& jobs);
  void order(uint64_t anchor);
  void showPicture(std::shared_ptr<const GraphPicture> picture);
  void showSelected(bool reveal);
  void focusOnPaths();
  void showMenu(quint64 key, QPoint place);

  std::shared_ptr<const Module> module_;
  GroupingMode mode_ = GroupingMode::ByScope;
  GraphRequestOptions options_;
  OpenGroups open_;
  OpenGroups followed_;  // opened by following the selection; closed again when it moves on
  std::optional<GraphFocus> focus_;
  std::shared_ptr<const SceneLook> look_;
  FocusChoice selection_;
  bool follow_ = true;

  // Asked for since the last picture; a newer order asks for them again.
  bool start_ = false;
  bool openAll_ = false;
  std::vector<uint64_t> unfold_;
  InstructionId reveal_;
  bool moveTo_ = false;  // bring the selection into sight with the next picture
  uint64_t anchor_ = kNoSceneNode;

  GraphWorker worker_;

  CanvasWidget* canvas_;
  ShownPicture picture_;
  GraphToolBar* toolBar_;
  QLabel* status_;
  GraphLegend* legend_;
  GraphColours* colours_ = nullptr;
  GraphExport export_;
};

}  // namespace hilo
