// The graph of a module. Starts with little open; what is opened is laid out off the UI thread and unfolds in
// place. Selection goes in through select() and out through signals, by instruction id. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QWidget>

#include "core/analysis/cost_facts.h"
#include "core/workspace/job_queue.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/views/graph/graph_worker.h"

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QToolBar;

namespace hilo {

class GraphLegend;
class QueryColours;

class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(JobQueue& jobs, QWidget* parent = nullptr);
  ~GraphView() override;

  // Null shows nothing. Open groups and the selection are kept where the new module has the same ones.
  void setModule(std::shared_ptr<const Module> module);
  void setGrouping(GroupingMode mode);
  GroupingMode grouping() const { return mode_; }
  void setNodePalette(NodePalette palette);
  // Get-tuple-elements, small constants and spread numbers as tags on their users; on at first.
  void setFolding(bool fold);
  bool folding() const { return options_.fold; }

  // What its instructions cost, for what is said of them; of the module that is shown.
  void setCost(std::shared_ptr<const ModuleCost> cost) { cost_ = std::move(cost); }

  // Selects and shows the instruction; with follow on (the default), the groups around it open.
  // Does not emit.
  void select(InstructionId id);
  InstructionId selected() const { return selected_; }
  void setFollow(bool follow) { follow_ = follow; }
  // Outlines; closed groups show that something in them is marked. Cleared by setModule.
  // Edges between what is on `way` are lit.
  void setMarks(absl::flat_hash_map<InstructionId, SceneMark> marks,
                absl::flat_hash_set<InstructionId> way = {});
  // Colours by a fact instead of by opcode; not for Column.
  void setOverlay(OverlayKind kind);
  // Colours by facts that were computed elsewhere; of the module that is shown.
  void setOverlay(Overlay given);
  // Colours what matches, each query its own colour; none takes the colours away. Goes on with the modules
  // that are shown next. Fails with "query-syntax".
  Status setQueries(const QStringList& queries);
  QStringList queries() const;  // those that colour it
  OverlayKind overlay() const { return overlay_; }
  // A further choice in the colour menu: `ask` makes the overlay and hands it to setOverlay when it is there.
  // `name` chooses it in colourBy.
  void addColourSource(const QString& name, const QString& text, std::function<void()> ask);
  // What is being done, or why it could not be, below the graph.
  void say(const QString& what) { setStatus(what); }
  // By name, besides those added: "xla" (its own colours), "bytes", "accessed", "flops", "sharding",
  // "layout", "type", or a file of numbers: "FILE", "FILE#COLUMN". Fails with "unreadable-column" and
  // as readOverlayColumn does.
  Status colourBy(const QString& name);
  // Around the selection by name: a number of hops, "operands" or "users". Fails with "unknown-word".
  Status focusBy(const QString& name);
  void setLegendShown(bool shown);
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

  enum class ExportPart : uint8_t { All, InSight, Selection };
  // By the ending of the path: .svg, .pdf, .png or .dot. A selection comes with what it holds. Fails with
  // "unknown-format", "file-not-written", "nothing-selected".
  Status exportTo(const QString& path, ExportPart part = ExportPart::All) const;
  // What a node stands for as a module of its own (see extractAsText); `answer` gets it later,
  // on this thread.
  void extract(uint64_t key, std::function<void(const Result<std::string>&)> answer);

  // Where layouts are kept between runs of the program; "" keeps none.
  void setLayoutFolder(const QString& folder);

  CanvasWidget* canvas() const { return canvas_; }
  // A picture of the module set last is on the canvas, if perhaps not the final one.
  bool isShown() const { return picture_ != nullptr; }
  // False while something is being grouped or laid out.
  bool isSettled() const { return !worker_.busy() && !isMatching_; }

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
  void changeEvent(QEvent* event) override;

 private:
  void buildToolBar();
  QAction* addAction(const QString& text, const QString& tip, void (GraphView::*action)());
  QMenu* addMenuButton(const QString& text, const QString& tip);
  void buildGroupingMenu();
  void buildColourMenu();
  void buildFocusMenu();
  void order(uint64_t anchor);
  void showPicture(std::shared_ptr<const GraphPicture> picture);
  void showSelected(bool reveal);
  void focusOnSelected(FocusKind kind, uint32_t hops = 1);
  void focusOnPaths();
  QString countsText() const;
  void setStatus(const QString& status);
  void fitStatus();
  void showMenu(quint64 key, QPoint place);
  void askExport(ExportPart part);
  void exportAll() { askExport(ExportPart::All); }
  void copyAsModule(uint64_t key);
  void saveAsModule(uint64_t key);
  void askColumn();
  void readColumn(const QString& path, const QString& column);
  void offerColumns(const QString& path, const QStringList& columns);
  QueryColours& queryLines();
  void askQueries();
  void colourByQueries(std::vector<Query> queries);
  void dropQueries();
  void matchQueries();
  void leaveOverlay();
  QString colourName() const;
  void checkColours();
  void fit() { canvas_->fit(); }
  void zoomToSelection() { canvas_->zoomToSelection(); }
  void toggleLegend();
  void placeLegend();
  uint32_t nodeOf(InstructionId id) const;
  const Instruction* instructionAt(quint64 key) const;
  QString nodeHtml(SceneNodeId key) const;
  QString sharesHtml(const SceneNode& group) const;
  QString edgeHtml(const SceneEdge& edge) const;

  std::shared_ptr<const Module> module_;
  GroupingMode mode_ = GroupingMode::ByScope;
  GraphRequestOptions options_;
  OpenGroups open_;
  OpenGroups followed_;  // opened by following the selection; closed again when it moves on
  std::optional<GraphFocus> focus_;
  std::shared_ptr<const SceneLook> look_;
  OverlayKind overlay_ = OverlayKind::None;
  std::shared_ptr<const Overlay> given_;
  QString columnName_;          // "FILE", "FILE#COLUMN": of the column read last
  int givenBy_ = 0;             // data of the choice in the menu that `given_` came from
  std::vector<Query> queries_;  // while they are what colours
  bool isMatching_ = false;     // them, in a job
  InstructionId selected_;
  InstructionId before_;  // selected before that: the other end of paths
  bool follow_ = true;

  // Asked for since the last picture; a newer order asks for them again.
  bool start_ = false;
  bool openAll_ = false;
  std::vector<uint64_t> unfold_;
  InstructionId reveal_;
  bool moveTo_ = false;  // bring the selection into sight with the next picture
  uint64_t anchor_ = kNoSceneNode;

  std::shared_ptr<const GraphPicture> picture_;
  std::shared_ptr<const ModuleCost> cost_;  // of module_, once it is known
  JobQueue& jobs_;
  JobScope scope_;
  GraphWorker worker_;

  CanvasWidget* canvas_;
  QToolBar* toolBar_;
  QMenu* groupingMenu_ = nullptr;
  QMenu* colourMenu_ = nullptr;
  QActionGroup* colours_ = nullptr;
  struct ColourSource {
    QString name;
    std::function<void()> ask;
  };
  std::vector<ColourSource> colourSources_;
  QAction* foldAction_ = nullptr;
  QLabel* status_;
  QString statusText_;  // the label shows what of it there is room for
  QMenu* columnMenu_ = nullptr;
  QueryColours* queryLines_ = nullptr;  // made when first asked for
  GraphLegend* legend_;
};

}  // namespace hilo
