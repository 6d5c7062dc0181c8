#include "ui/views/graph/graph_view.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/canvas/scene_export.h"
#include "ui/style/metrics.h"
#include "ui/views/graph/legend.h"
#include "ui/views/graph/node_look.h"

namespace hilo {
namespace {

constexpr quint64 kLayoutKey = 1;
constexpr uint32_t kDefaultHops = 2;

}  // namespace

GraphView::GraphView(QWidget* parent) : QWidget(parent), canvas_(new CanvasWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildToolBar();
  column->addWidget(toolBar_);
  column->addWidget(canvas_, 1);
  legend_ = new GraphLegend(canvas_);
  legend_->hide();
  setFocusProxy(canvas_);
  canvas_->setHoverText([this](SceneNodeId key) { return nodeHtml(key); },
                        [this](const SceneEdge& edge) { return edgeHtml(edge); });
  connect(canvas_, &CanvasWidget::nodeSelected, this, [this](quint64 key) {
    selected_ = instructionOf(key);
    Q_EMIT instructionSelected(selected_);
  });
  connect(canvas_, &CanvasWidget::nodeHovered, this,
          [this](quint64 key) { Q_EMIT instructionHovered(instructionOf(key)); });
  connect(canvas_, &CanvasWidget::nodeActivated, this, &GraphView::toggle);
  connect(canvas_, &CanvasWidget::contextMenuAsked, this, &GraphView::showMenu);
  connect(&queue_, &LayoutQueue::finished, this, [this](quint64, std::shared_ptr<const NestedResult> layout) {
    layout_ = std::move(layout);
    shown_ = std::move(pending_);
    showLayout(*layout_);
  });
  connect(&queue_, &LayoutQueue::failed, this, [this](quint64, const Diagnostic& why) {
    setStatus(QString::fromStdString(why.message));
    settle();
  });
}

GraphView::~GraphView() = default;

QToolButton* GraphView::addButton(const QString& text, const QString& tip, void (GraphView::*action)()) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  toolBar_->layout()->addWidget(button);
  connect(button, &QToolButton::clicked, this, action);
  return button;
}

void GraphView::buildToolBar() {
  toolBar_ = new QWidget;
  auto* row = new QHBoxLayout(toolBar_);
  row->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  row->setSpacing(kSpaceSmall);
  modeBox_ = new QComboBox;
  modeBox_->addItems({tr("Scopes"), tr("Computations")});
  modeBox_->setToolTip(tr("Group by op_name scope, or by called computation only (G)"));
  connect(modeBox_, &QComboBox::currentIndexChanged, this, [this](int index) {
    setGrouping(index == 0 ? GroupingMode::ByScope : GroupingMode::ByComputation);
  });
  row->addWidget(modeBox_);
  paletteBox_ = new QComboBox;
  paletteBox_->addItems({tr("Opcode classes"), tr("XLA colours")});
  paletteBox_->setToolTip(tr("Colours of the nodes"));
  connect(paletteBox_, &QComboBox::currentIndexChanged, this,
          [this](int index) { setNodePalette(index == 0 ? NodePalette::kOpcodeClass : NodePalette::kXla); });
  row->addWidget(paletteBox_);
  addButton(tr("Fit"), tr("Show everything that is open (F)"), &GraphView::fit);
  addButton(tr("Selection"), tr("Zoom to the selection (Z)"), &GraphView::zoomToSelection);
  addButton(tr("Focus"), tr("Show only what is near the selection (1 to 4: hops; Esc: back)"),
            &GraphView::askFocus);
  addButton(tr("Close all"), tr("Close all groups (C)"), &GraphView::closeAll);
  addButton(tr("Legend"), tr("What the colours mean (L)"), &GraphView::toggleLegend);
  addButton(tr("Export…"), tr("Write the graph as SVG, PNG or DOT"), &GraphView::askExport);
  status_ = new QLabel;
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  status_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(status_, 1);
}

void GraphView::setModule(std::shared_ptr<const Module> module) {
  module_ = std::move(module);
  look_ = {};
  focus_.reset();
  firstLayout_ = true;
  startGrouping();
}

void GraphView::setGrouping(GroupingMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  modeBox_->setCurrentIndex(mode == GroupingMode::ByScope ? 0 : 1);
  focus_.reset();
  startGrouping();
}

void GraphView::setNodePalette(NodePalette palette) {
  paletteBox_->setCurrentIndex(palette == NodePalette::kOpcodeClass ? 0 : 1);
  canvas_->setNodePalette(palette);
  refreshScene();
}

// Sorting a large module into groups takes longer than a frame, so it is done on a thread of the pool. An
// answer that comes after another module was set is dropped, and so is one after the view has gone.
void GraphView::startGrouping() {
  queue_.drop(kLayoutKey);
  const uint64_t number = ++groupingNumber_;
  if (module_ == nullptr) {
    grouping_ = nullptr;
    layout_ = nullptr;
    shown_ = {};
    canvas_->setScene({});
    setStatus({});
    settle();
    return;
  }
  settled_ = false;
  QThreadPool::globalInstance()->start(
      [module = module_, mode = mode_, number, self = QPointer<GraphView>(this)] {
        auto grouping = std::make_shared<Grouping>(module, GroupingOptions{.mode = mode});
        QMetaObject::invokeMethod(
            qApp,
            [self, number, grouping = std::move(grouping)] {
              if (self && self->groupingNumber_ == number) self->setMade(grouping);
            },
            Qt::QueuedConnection);
      });
}

void GraphView::setMade(std::shared_ptr<Grouping> grouping) {
  grouping_ = std::move(grouping);
  if (grouping_->root() == kNoGroup) {
    canvas_->setScene({});
    setStatus(tr("This module has no entry computation."));
    settle();
    return;
  }
  const bool same = std::any_of(open_.begin(), open_.end(),
                                [&](uint64_t key) { return grouping_->findKey(key) != kNoGroup; });
  if (!same) {
    open_.clear();
    followed_.clear();
  }
  openSingleGroups(*grouping_, grouping_->root(), open_);
  // Callers that were open in the module before are made again.
  for (GroupId id = 0; id < grouping_->nodeCount(); ++id) {
    if (open_.contains(grouping_->node(id).key)) grouping_->expand(id);
  }
  const Instruction* instruction = selected_.valid() ? module_->instruction(selected_) : nullptr;
  if (instruction == nullptr) {
    selected_ = {};
  } else if (follow_) {
    if (const GroupId id = grouping_->find(*instruction); id != kNoGroup) openWayTo(id);
    revealAfterLayout_ = true;
  }
  requestLayout(kNoSceneNode);
}

void GraphView::requestLayout(uint64_t anchor) {
  if (grouping_ == nullptr || grouping_->root() == kNoGroup) return;
  settled_ = false;
  anchor_ = anchor;
  const Instruction* centre = focus_ ? module_->instruction(focus_->centre) : nullptr;
  pending_ = centre != nullptr ? makeFocusRequest(*grouping_, *centre, focus_->hops)
                               : makeGraphRequest(*grouping_, open_);
  // The first picture of a module must not wait for dot, which can take seconds for a hundred nodes.
  if (firstLayout_) pending_.input.engine = LayoutEngine::kLayered;
  setStatus(tr("laying out %1 nodes…").arg(pending_.nodes.size()));
  queue_.submit(kLayoutKey, pending_.input);
}

void GraphView::showLayout(const NestedResult& layout) {
  firstLayout_ = false;
  canvas_->setScene(makeGraphScene(*grouping_, shown_, layout, look_), anchor_);
  applySelection(std::exchange(revealAfterLayout_, false));
  QString status =
      focus_ ? tr("%n hop(s) around the selection; Esc to leave · ", nullptr, static_cast<int>(focus_->hops))
             : QString();
  status += tr("%1 nodes, %2 edges of %3 instructions")
                .arg(shown_.nodes.size())
                .arg(layout.bundles.size())
                .arg(module_->instructionCount());
  for (const Diagnostic& note : layout.notes)
    status += QStringLiteral(" · ") + QString::fromStdString(note.message);
  setStatus(status);
  if (legend_->isVisible()) {
    legend_->hide();
    toggleLegend();
  }
  settle();
}

void GraphView::refreshScene() {
  if (grouping_ == nullptr || layout_ == nullptr) return;
  const ViewTransform view = canvas_->view();
  canvas_->setScene(makeGraphScene(*grouping_, shown_, *layout_, look_));
  canvas_->setView(view);
  if (legend_->isVisible()) {
    legend_->hide();
    toggleLegend();
  }
}

void GraphView::settle() {
  settled_ = true;
  Q_EMIT settled();
}

void GraphView::setStatus(const QString& status) {
  status_->setText(status);
  Q_EMIT statusChanged(status);
}

void GraphView::setMarks(absl::flat_hash_map<InstructionId, SceneMark> marks) {
  look_.marks = std::move(marks);
  refreshScene();
}

void GraphView::setHeat(absl::flat_hash_map<InstructionId, float> heat) {
  look_.heat = std::move(heat);
  refreshScene();
}

InstructionId GraphView::instructionOf(quint64 key) const {
  if (grouping_ == nullptr || key == kNoSceneNode) return {};
  const GroupId id = grouping_->findKey(key);
  if (id == kNoGroup || grouping_->node(id).instruction == nullptr) return {};
  return grouping_->node(id).instruction->id();
}

void GraphView::select(InstructionId id) {
  if (id == selected_) return;
  selected_ = id;
  if (grouping_ == nullptr || module_ == nullptr) return;
  const Instruction* instruction = id.valid() ? module_->instruction(id) : nullptr;
  if (instruction == nullptr) {
    canvas_->select({});
    return;
  }
  const GroupId node = follow_ ? grouping_->find(*instruction) : grouping_->findMade(*instruction);
  if (node == kNoGroup) {
    canvas_->select({});
    return;
  }
  if (focus_ && canvas_->index().find(grouping_->node(node).key) == kNoIndex) focus_.reset();
  const size_t before = open_.size();
  const OpenGroups wasOpen = open_;
  if (follow_) openWayTo(node);
  if (open_.size() == before && open_ == wasOpen && !focus_) {
    applySelection(true);
    return;
  }
  revealAfterLayout_ = true;
  requestLayout(canvas_->selected());
}

void GraphView::openWayTo(GroupId id) {
  for (uint64_t key : followed_) open_.erase(key);
  OpenGroups way;
  for (GroupId at = grouping_->node(id).parent; at != kNoGroup; at = grouping_->node(at).parent) {
    const uint64_t key = grouping_->node(at).key;
    if (open_.insert(key).second) way.insert(key);
  }
  followed_ = std::move(way);
}

void GraphView::applySelection(bool reveal) {
  const Instruction* instruction =
      selected_.valid() && module_ != nullptr ? module_->instruction(selected_) : nullptr;
  if (instruction == nullptr) return;
  GroupId at = grouping_->findMade(*instruction);
  while (at != kNoGroup && canvas_->index().find(grouping_->node(at).key) == kNoIndex)
    at = grouping_->node(at).parent;
  if (at == kNoGroup) return;
  canvas_->select({grouping_->node(at).key});
  if (reveal) canvas_->reveal(grouping_->node(at).key);
}

void GraphView::toggle(uint64_t key) {
  if (grouping_ == nullptr) return;
  const GroupId id = grouping_->findKey(key);
  if (id == kNoGroup) return;
  if (!grouping_->node(id).group) {
    Q_EMIT instructionActivated(grouping_->node(id).instruction->id());
    return;
  }
  if (focus_) {
    // Out of the focus, to where the group is.
    focus_.reset();
    openWayTo(id);
    openSingleGroups(*grouping_, id, open_);
  } else if (open_.contains(key)) {
    open_.erase(key);
    followed_.erase(key);
  } else {
    openSingleGroups(*grouping_, id, open_);
  }
  requestLayout(key);
}

void GraphView::closeAll() {
  if (grouping_ == nullptr) return;
  open_.clear();
  followed_.clear();
  focus_.reset();
  openSingleGroups(*grouping_, grouping_->root(), open_);
  requestLayout(kNoSceneNode);
}

void GraphView::focusOn(InstructionId id, uint32_t hops) {
  if (module_ == nullptr || (hops == 0 && !focus_)) return;
  if (hops > 0 && (!id.valid() || module_->instruction(id) == nullptr)) return;
  if (hops > 0) {
    focus_ = Focus{id, hops};
  } else {
    focus_.reset();
  }
  revealAfterLayout_ = true;
  requestLayout(canvas_->selected());
}

void GraphView::askFocus() { focusOn(selected_, focus_ ? 0 : kDefaultHops); }

void GraphView::toggleLegend() {
  if (legend_->isVisible()) {
    legend_->hide();
    return;
  }
  std::array<bool, static_cast<size_t>(NodeRole::kCount)> seen{};
  for (const SceneNode& node : canvas_->scene().nodes) seen[static_cast<size_t>(node.role)] = true;
  std::vector<NodeRole> roles;
  for (size_t role = 0; role < seen.size(); ++role) {
    if (seen[role]) roles.push_back(static_cast<NodeRole>(role));
  }
  legend_->setRoles(std::move(roles), canvas_->nodePalette());
  legend_->move(12, canvas_->height() - legend_->height() - 12);
  legend_->show();
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  legend_->move(12, canvas_->height() - legend_->height() - 12);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      if (!focus_) break;
      focusOn({}, 0);
      return;
    case Qt::Key_1:
    case Qt::Key_2:
    case Qt::Key_3:
    case Qt::Key_4:
      focusOn(selected_, static_cast<uint32_t>(event->key() - Qt::Key_0));
      return;
    case Qt::Key_C:
      closeAll();
      return;
    case Qt::Key_L:
      toggleLegend();
      return;
    case Qt::Key_G:
      setGrouping(mode_ == GroupingMode::ByScope ? GroupingMode::ByComputation : GroupingMode::ByScope);
      return;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void GraphView::showMenu(quint64 key, QPoint place) {
  if (grouping_ == nullptr) return;
  QMenu menu(this);
  const GroupId id = grouping_->findKey(key);
  if (id != kNoGroup) {
    const GroupNode& node = grouping_->node(id);
    if (node.group) {
      menu.addAction(open_.contains(key) ? tr("Close") : tr("Open"), this, [this, key] { toggle(key); });
    }
    if (node.instruction != nullptr) {
      const InstructionId instruction = node.instruction->id();
      menu.addAction(tr("Go to the text"), this,
                     [this, instruction] { Q_EMIT instructionActivated(instruction); });
      for (uint32_t hops = 1; hops <= 3; ++hops) {
        menu.addAction(tr("Focus: %n hop(s)", nullptr, static_cast<int>(hops)), this,
                       [this, instruction, hops] { focusOn(instruction, hops); });
      }
    }
    menu.addAction(tr("Copy name"), this,
                   [text = nodeText(node).title] { QApplication::clipboard()->setText(text); });
    menu.addSeparator();
  }
  if (focus_) menu.addAction(tr("Leave the focus"), this, [this] { focusOn({}, 0); });
  menu.addAction(tr("Close all groups"), this, &GraphView::closeAll);
  menu.addAction(tr("Export…"), this, &GraphView::askExport);
  menu.exec(place);
}

Status GraphView::exportTo(const QString& path) const {
  const std::array<uint32_t, 1> selected{canvas_->index().find(canvas_->selected())};
  PaintOptions options{.theme = &themeOf(*this), .palette = canvas_->nodePalette()};
  if (selected[0] != kNoIndex) options.selected = selected;
  const Scene& scene = canvas_->scene();
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) return writeSceneSvg(scene, options, path);
  if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive))
    return writeScenePng(scene, options, path, 2);
  if (path.endsWith(QStringLiteral(".dot"), Qt::CaseInsensitive)) return writeSceneDot(scene, options, path);
  return fail("unknown-format", fmt::format("{} ends in none of .svg, .png, .dot", path.toStdString()));
}

void GraphView::askExport() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the graph"), tr("graph.svg"),
                                                    tr("SVG (*.svg);;PNG (*.png);;Graphviz DOT (*.dot)"));
  if (path.isEmpty()) return;
  const Status written = exportTo(path);
  setStatus(written ? tr("written: %1").arg(path) : QString::fromStdString(written.error().message));
}

QString GraphView::nodeHtml(SceneNodeId key) const {
  const GroupId id = grouping_ == nullptr ? kNoGroup : grouping_->findKey(key);
  if (id == kNoGroup) return {};
  const GroupNode& node = grouping_->node(id);
  return node.instruction != nullptr ? instructionHtml(*node.instruction) : groupHtml(*grouping_, id);
}

QString GraphView::edgeHtml(const SceneEdge& edge) const {
  const Scene& scene = canvas_->scene();
  QString html = QStringLiteral("%1 → %2").arg(scene.nodes[edge.from].title.toHtmlEscaped(),
                                               scene.nodes[edge.to].title.toHtmlEscaped());
  if (edge.kind == SceneEdgeKind::kControl) return html + tr("<br>control dependency");
  if (edge.count > 1) html += tr("<br>%1 values").arg(edge.count);
  if (edge.bytes > 0) html += QStringLiteral("<br>") + bytesText(edge.bytes);
  return html;
}

}  // namespace hilo
