#include "ui/views/graph/graph_view.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include "ui/style/metrics.h"
#include "ui/views/graph/graph_card.h"
#include "ui/views/graph/graph_tool_bar.h"
#include "ui/views/graph/legend.h"
#include "ui/widgets/elided_label.h"

namespace hilo {
GraphView::GraphView(JobQueue& jobs, QWidget* parent)
    : QWidget(parent),
      worker_(jobs),
      canvas_(new CanvasWidget),
      picture_(*canvas_),
      export_(*canvas_, worker_, [this](const QString& what) { say(what); }) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(kSpaceSmall, 0, kSpace, 0);
  toolBar_ = new GraphToolBar;
  status_ = new ElidedLabel;
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  status_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(toolBar_);
  row->addWidget(status_, 1);
  column->addLayout(row);
  column->addWidget(canvas_, 1);
  legend_ = new GraphLegend(*canvas_, picture_);
  legend_->hide();
  connectToolBar(jobs);
  setFocusProxy(canvas_);
  canvas_->setHoverText([this](SceneNodeId key) { return picture_.cardOf(key, colours_->cost()); },
                        [this](const SceneEdge& edge) { return edgeHtml(canvas_->scene(), edge); });
  connect(canvas_, &CanvasWidget::nodeSelected, this, [this](quint64 key) {
    const Instruction* instruction = picture_.instructionAt(key);
    selection_.select(instruction == nullptr ? InstructionId() : instruction->id());
    Q_EMIT instructionSelected(selected());
  });
  connect(canvas_, &CanvasWidget::nodeHovered, this, [this](quint64 key) {
    const Instruction* instruction = picture_.instructionAt(key);
    Q_EMIT instructionHovered(instruction == nullptr ? InstructionId() : instruction->id());
  });
  connect(canvas_, &CanvasWidget::nodeActivated, this, &GraphView::toggle);
  connect(canvas_, &CanvasWidget::contextMenuAsked, this, &GraphView::showMenu);
  connect(&worker_, &GraphWorker::made, this, &GraphView::showPicture);
  connect(&worker_, &GraphWorker::failed, this, [this](const Diagnostic& why) {
    say(QString::fromStdString(why.message));
    Q_EMIT settled();
  });
}

void GraphView::setModule(std::shared_ptr<const Module> module) {
  // Of another module nothing is where it was; steps of a pipeline keep the part that is shown.
  const bool isAnother = module_ != nullptr && module != nullptr && module_->name() != module->name();
  if (isAnother) canvas_->setScene(Scene());
  module_ = std::move(module);
  look_ = nullptr;
  colours_->setModule(module_);
  export_.setModule(module_);
  focus_.reset();
  selection_.goInto(module_.get());
  picture_.set(nullptr);
  if (module_ == nullptr) {
    worker_.drop();
    canvas_->setScene(Scene());
    say({});
    Q_EMIT settled();
    return;
  }
  start_ = true;
  if (follow_) reveal_ = selected();
  moveTo_ = selected().valid();
  order(kNoSceneNode);
  colours_->match();
}

void GraphView::setLayoutFolder(const QString& folder) { worker_.setLayoutFolder(folder.toStdString()); }

void GraphView::setGrouping(GroupingMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  toolBar_->showGrouping(mode);
  if (module_ == nullptr) return;
  focus_.reset();
  start_ = true;
  if (follow_) reveal_ = selected();
  moveTo_ = selected().valid();
  order(kNoSceneNode);
}

void GraphView::setFolding(bool fold) {
  if (options_.fold == fold) return;
  options_.fold = fold;
  toolBar_->showFolding(fold);
  order(canvas_->selected());
}

void GraphView::order(uint64_t anchor) {
  if (module_ == nullptr) return;
  anchor_ = anchor;
  GraphOrder order;
  order.module = module_;
  order.mode = mode_;
  order.open = open_;
  order.followed = followed_;
  order.start = start_;
  order.unfold = unfold_;
  order.openAll = openAll_;
  order.reveal = reveal_;
  order.selected = selected();
  order.focus = focus_;
  order.options = options_;
  order.look = look_;
  order.overlay = colours_->kind();
  order.given = colours_->given();
  say(tr("drawing…"));
  worker_.submit(std::move(order));
}

void GraphView::showPicture(std::shared_ptr<const GraphPicture> picture) {
  picture_.set(std::move(picture));
  open_ = picture_->open;
  followed_ = picture_->followed;
  start_ = openAll_ = false;
  unfold_.clear();
  reveal_ = {};
  canvas_->setScene(picture_->scene, anchor_);
  showSelected(moveTo_);
  if (picture_->refined) moveTo_ = false;
  say(countsText(*picture_.get(), focus_, module_->instructionCount()));
  if (picture_->legend) colours_->showCounts(picture_->legend->counts);
  legend_->refresh();
  if (picture_->refined) Q_EMIT settled();
}

void GraphView::setMarks(absl::flat_hash_map<InstructionId, SceneMark> marks,
                         absl::flat_hash_set<InstructionId> way) {
  auto look = std::make_shared<SceneLook>(look_ != nullptr ? *look_ : SceneLook());
  look->marks = std::move(marks);
  look->way = std::move(way);
  look_ = std::move(look);
  order(anchor_);
}

void GraphView::select(InstructionId id) {
  if (id == selected()) return;
  selection_.select(id);
  if (module_ == nullptr) return;
  const Instruction* instruction = module_->instruction(id);
  if (instruction == nullptr) {
    canvas_->select({});
    return;
  }
  const bool inSight = picture_.nodeOf(instruction) != kNoIndex;
  if (focus_ && inSight) return showSelected(true);
  // What was followed before closes, unless it is around this one as well: only the grouping knows.
  if (inSight && (!follow_ || followed_.empty())) return showSelected(true);
  focus_.reset();
  if (follow_) reveal_ = id;
  moveTo_ = true;
  order(canvas_->selected());
}

void GraphView::bringIntoSight() {
  if (isShown()) showSelected(true);
}

void GraphView::showSelected(bool reveal) {
  uint32_t node = picture_.nodeOf(module_ == nullptr ? nullptr : module_->instruction(selected()));
  if (node == kNoIndex && selected().valid()) node = picture_->selectedNode;
  if (node == kNoIndex) return;
  const SceneNodeId key = canvas_->scene().nodes[node].id;
  canvas_->select({key});
  if (reveal) canvas_->reveal(key);
}

void GraphView::toggle(uint64_t key) {
  const uint32_t node = canvas_->index().find(key);
  if (picture_.get() == nullptr || node == kNoIndex) return;
  const Instruction* instruction = picture_->instructions[node];
  if (!canvas_->scene().nodes[node].group) {
    Q_EMIT instructionActivated(instruction->id());
    return;
  }
  if (focus_) {
    // Out of the focus, to where the group is.
    focus_.reset();
    reveal_ = instruction->id();
    unfold_.push_back(key);
  } else if (open_.contains(key)) {
    open_.erase(key);
    followed_.erase(key);
    std::erase(unfold_, key);
  } else {
    open_.insert(key);
    unfold_.push_back(key);
  }
  order(key);
}

void GraphView::closeAll() {
  open_.clear();
  followed_.clear();
  unfold_.clear();
  openAll_ = false;
  focus_.reset();
  start_ = true;
  order(kNoSceneNode);
}

void GraphView::openAll() {
  focus_.reset();
  openAll_ = true;
  order(canvas_->selected());
}

void GraphView::focusOn(const GraphFocus& focus) {
  if (module_ == nullptr || module_->instruction(focus.centre) == nullptr) return;
  focus_ = focus;
  moveTo_ = true;
  order(canvas_->selected());
}

void GraphView::leaveFocus() {
  if (!focus_) return;
  focus_.reset();
  moveTo_ = true;
  order(canvas_->selected());
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      if (!focus_) break;
      return leaveFocus();
    case Qt::Key_1:
    case Qt::Key_2:
    case Qt::Key_3:
    case Qt::Key_4:
      return focusOn(selection_.around(FocusKind::Hops, static_cast<uint32_t>(event->key() - Qt::Key_0)));
    case Qt::Key_I:
      return focusOn(selection_.around(FocusKind::Operands));
    case Qt::Key_O:
      return focusOn(selection_.around(FocusKind::Users));
    case Qt::Key_P:
      return focusOnPaths();
    case Qt::Key_C:
      return closeAll();
    case Qt::Key_E:
      return openAll();
    case Qt::Key_T:
      return setFolding(!options_.fold);
    case Qt::Key_Question:
      return legend_->setVisible(legend_->isHidden());
    case Qt::Key_G:
      return setGrouping(mode_ == GroupingMode::ByScope ? GroupingMode::ByComputation
                                                        : GroupingMode::ByScope);
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace hilo
