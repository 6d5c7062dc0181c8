// The graph of a module. Starts with little open; what is opened is laid out off the UI thread and unfolds in
// place. Selection goes in through select() and out through signals, by instruction id. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "ui/canvas/canvas_widget.h"
#include "ui/canvas/layout_queue.h"
#include "ui/views/graph/graph_scene.h"

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace hilo {

class GraphLegend;

class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(QWidget* parent = nullptr);
  ~GraphView() override;

  // Null shows nothing. Open groups and the selection are kept where the new module has the same ones.
  void setModule(std::shared_ptr<const Module> module);
  void setGrouping(GroupingMode mode);
  GroupingMode grouping() const { return mode_; }
  void setNodePalette(NodePalette palette);

  // Selects and shows the instruction; with follow on (the default), the groups around it open. Does not
  // emit.
  void select(InstructionId id);
  InstructionId selected() const { return selected_; }
  void setFollow(bool follow) { follow_ = follow; }
  // Colours and outlines; closed groups show that something in them is marked. Cleared by setModule.
  void setMarks(absl::flat_hash_map<InstructionId, SceneMark> marks);
  void setHeat(absl::flat_hash_map<InstructionId, float> heat);

  // Only what is up to `hops` edges away; 0 leaves the focus.
  void focusOn(InstructionId id, uint32_t hops);
  bool hasFocusOn() const { return focus_.has_value(); }
  void toggle(uint64_t key);
  void closeAll();

  // By the ending of the path: .svg, .png or .dot. Fails with "unknown-format", "file-not-written".
  Status exportTo(const QString& path) const;

  CanvasWidget* canvas() const { return canvas_; }
  // False while something is being grouped or laid out.
  bool isSettled() const { return settled_; }

 Q_SIGNALS:
  void instructionSelected(hilo::InstructionId id);  // not valid when the selection was cleared
  void instructionActivated(hilo::InstructionId id);
  void instructionHovered(hilo::InstructionId id);
  void settled();
  // What stands below the graph: counts, or why a layout failed.
  void statusChanged(const QString& status);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Focus {
    InstructionId centre;
    uint32_t hops = 1;
  };

  void buildToolBar();
  QToolButton* addButton(const QString& text, const QString& tip, void (GraphView::*action)());
  void startGrouping();
  void setMade(std::shared_ptr<Grouping> grouping);
  void requestLayout(uint64_t anchor);
  void showLayout(const NestedResult& layout);
  void refreshScene();
  void applySelection(bool reveal);
  void openWayTo(GroupId id);
  void setStatus(const QString& status);
  void settle();
  void showMenu(quint64 key, QPoint place);
  void askExport();
  void askFocus();
  void fit() { canvas_->fit(); }
  void zoomToSelection() { canvas_->zoomToSelection(); }
  void toggleLegend();
  InstructionId instructionOf(quint64 key) const;
  QString nodeHtml(SceneNodeId key) const;
  QString edgeHtml(const SceneEdge& edge) const;

  std::shared_ptr<const Module> module_;
  std::shared_ptr<Grouping> grouping_;
  GroupingMode mode_ = GroupingMode::ByScope;
  OpenGroups open_;
  OpenGroups followed_;  // opened by following the selection; closed again when it moves on
  std::optional<Focus> focus_;
  SceneLook look_;
  InstructionId selected_;
  bool follow_ = true;
  bool settled_ = true;
  bool firstLayout_ = true;  // nothing of this module has been laid out yet
  bool revealAfterLayout_ = false;
  uint64_t groupingNumber_ = 0;

  GraphRequest pending_;  // handed to the queue
  GraphRequest shown_;
  std::shared_ptr<const NestedResult> layout_;
  uint64_t anchor_ = kNoSceneNode;
  LayoutQueue queue_;

  CanvasWidget* canvas_;
  QWidget* toolBar_;
  QComboBox* modeBox_;
  QComboBox* paletteBox_;
  QLabel* status_;
  GraphLegend* legend_;
};

}  // namespace hilo
