// The graph view's tool bar, menus, legend and cards; colours have a file of their own.
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/graph/legend.h"
#include "ui/views/graph/menu_choice.h"
#include "ui/views/graph/node_look.h"
#include "ui/views/graph/query_colours.h"
#include "ui/widgets/overflow_button.h"

namespace hilo {
namespace {

constexpr uint32_t kDefaultHops = 2;
constexpr int kLeastStatusWidth = 60;

}  // namespace

QAction* GraphView::addAction(const QString& text, const QString& tip, void (GraphView::*action)()) {
  QAction* made = toolBar_->addAction(text);
  made->setToolTip(tip);
  connect(made, &QAction::triggered, this, action);
  return made;
}

QMenu* GraphView::addMenuButton(const QString& text, const QString& tip) {
  auto* menu = new QMenu(text, this);
  menu->menuAction()->setToolTip(tip);
  toolBar_->addAction(menu->menuAction());
  auto* button = qobject_cast<QToolButton*>(toolBar_->widgetForAction(menu->menuAction()));
  button->setPopupMode(QToolButton::InstantPopup);
  return menu;
}

void GraphView::buildToolBar() {
  toolBar_->setIconSize(QSize(kUiFontPx, kUiFontPx));
  toolBar_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  buildGroupingMenu();
  buildColourMenu();
  buildFocusMenu();
  addAction(tr("Fit"), tr("Show everything that is open (F)"), &GraphView::fit);
  addAction(tr("Selection"), tr("Zoom to the selection (Z)"), &GraphView::zoomToSelection);
  addAction(tr("Open all"), tr("Open all groups (E)"), &GraphView::openAll);
  addAction(tr("Close"), tr("Close all groups but those of the first look (C)"), &GraphView::closeAll);
  addAction(tr("Legend"), tr("What the colours mean (?)"), &GraphView::toggleLegend);
  addAction(tr("Export…"), tr("Write the graph as SVG, PDF, PNG or DOT"), &GraphView::exportAll);
  drawOverflowButton(*toolBar_);
}

void GraphView::buildGroupingMenu() {
  groupingMenu_ =
      addMenuButton(tr("Group"), tr("What groups are made of, and what is folded into its users"));
  auto* group = new QActionGroup(groupingMenu_);
  addChoice(groupingMenu_, group, tr("By op_name scope (G)"), static_cast<int>(GroupingMode::ByScope), true);
  addChoice(groupingMenu_, group, tr("By called computation (G)"),
            static_cast<int>(GroupingMode::ByComputation), false);
  connect(group, &QActionGroup::triggered, this,
          [this](QAction* action) { setGrouping(static_cast<GroupingMode>(action->data().toInt())); });
  groupingMenu_->addSeparator();
  foldAction_ = groupingMenu_->addAction(tr("Fold constants and tuple elements (T)"));
  foldAction_->setCheckable(true);
  foldAction_->setChecked(true);
  connect(foldAction_, &QAction::toggled, this, &GraphView::setFolding);
}

QStringList GraphView::arrangement() const {
  QStringList words;
  if (mode_ == GroupingMode::ByComputation) words << QStringLiteral("computations");
  if (!folding()) words << QStringLiteral("unfolded");
  if (const QString colour = colourName(); !colour.isEmpty()) words << QStringLiteral("colour=") + colour;
  for (const QString& query : queries()) words << QStringLiteral("query=") + query;
  if (focus_ && focus_->kind == FocusKind::Hops) words << QStringLiteral("focus=%1").arg(focus_->hops);
  if (focus_ && focus_->kind == FocusKind::Operands) words << QStringLiteral("focus=operands");
  if (focus_ && focus_->kind == FocusKind::Users) words << QStringLiteral("focus=users");
  if (!legend_->isHidden()) words << QStringLiteral("legend");
  return words;
}

Status GraphView::focusBy(const QString& name) {
  bool isNumber = false;
  const uint32_t hops = name.toUInt(&isNumber);
  if (isNumber) {
    focusOnSelected(FocusKind::Hops, hops);
  } else if (name == QLatin1String("operands")) {
    focusOnSelected(FocusKind::Operands);
  } else if (name == QLatin1String("users")) {
    focusOnSelected(FocusKind::Users);
  } else {
    return fail("unknown-word", fmt::format("no focus is called {}", name.toStdString()));
  }
  return {};
}

void GraphView::buildFocusMenu() {
  QMenu* menu = addMenuButton(tr("Focus"), tr("Show only what is near the selection; Esc leaves"));
  for (uint32_t hops = 1; hops <= 4; ++hops) {
    menu->addAction(tr("%1 around the selection (%2)").arg(countOf(hops, "hop")).arg(hops), this,
                    [this, hops] { focusOnSelected(FocusKind::Hops, hops); });
  }
  menu->addSeparator();
  menu->addAction(tr("Operands, transitive (I)"), this, [this] { focusOnSelected(FocusKind::Operands); });
  menu->addAction(tr("Users, transitive (O)"), this, [this] { focusOnSelected(FocusKind::Users); });
  menu->addAction(tr("All paths from the selection before (P)"), this, &GraphView::focusOnPaths);
  menu->addSeparator();
  menu->addAction(tr("Clear focus (Esc)"), this, &GraphView::leaveFocus);
}

void GraphView::focusOnSelected(FocusKind kind, uint32_t hops) {
  focusOn({.kind = kind, .centre = selected_, .other = {}, .hops = hops});
}

void GraphView::focusOnPaths() {
  if (module_ == nullptr) return;
  if (module_->instruction(before_) == nullptr || module_->instruction(selected_) == nullptr) {
    setStatus(tr("Select one instruction and then another to see the paths between them."));
    return;
  }
  focusOn({.kind = FocusKind::Paths, .centre = before_, .other = selected_, .hops = 0});
}

QString GraphView::countsText() const {
  if (!picture_->hasEntry) return tr("This module has no entry computation.");
  QString status;
  if (focus_) {
    switch (focus_->kind) {
      case FocusKind::Hops:
        status = tr("%1 around").arg(countOf(focus_->hops, "hop"));
        break;
      case FocusKind::Operands:
        status = tr("operands, transitive");
        break;
      case FocusKind::Users:
        status = tr("users, transitive");
        break;
      case FocusKind::Paths:
        status = picture_->instructions.empty() ? tr("no path between the two") : tr("all paths between");
        break;
    }
    if (picture_->focusCut) status += tr(", the nearest of more");
    status += tr(" · Esc leaves · ");
  }
  status += tr("%1 nodes, %2 edges of %3 instructions")
                .arg(picture_->instructions.size())
                .arg(picture_->edgeCount)
                .arg(module_->instructionCount());
  if (!picture_->allOpened) status += tr(" · too large to open all of it");
  for (const Diagnostic& note : picture_->notes)
    status += QStringLiteral(" · ") + QString::fromStdString(note.message);
  return status;
}

void GraphView::setStatus(const QString& status) {
  statusText_ = status;
  status_->setToolTip(status);
  fitStatus();
  Q_EMIT statusChanged(status);
}

void GraphView::fitStatus() {
  const int room = status_->width();
  status_->setText(room < kLeastStatusWidth
                       ? QString()
                       : status_->fontMetrics().elidedText(statusText_, Qt::ElideRight, room));
}

void GraphView::toggleLegend() { setLegendShown(legend_->isHidden()); }

void GraphView::setLegendShown(bool shown) {
  legend_->setVisible(shown);
  placeLegend();
}

void GraphView::placeLegend() {
  if (legend_->isHidden()) return;
  if (picture_ != nullptr && picture_->legend) {
    legend_->setOverlay(*picture_->legend);
    if (overlay_ == OverlayKind::Given && given_->areQueries)
      queryLines_->setCounts(picture_->legend->counts);
  } else {
    std::array<bool, static_cast<size_t>(NodeRole::kCount)> seen{};
    for (const SceneNode& node : canvas_->scene().nodes) seen[static_cast<size_t>(node.role)] = true;
    std::vector<NodeRole> roles;
    for (size_t role = 0; role < seen.size(); ++role) {
      if (seen[role]) roles.push_back(static_cast<NodeRole>(role));
    }
    legend_->setRoles(std::move(roles), canvas_->nodePalette());
  }
  legend_->move(12, canvas_->height() - legend_->height() - 12);
}

void GraphView::showMenu(quint64 key, QPoint place) {
  if (picture_ == nullptr) return;
  QMenu menu(this);
  const uint32_t node = canvas_->index().find(key);
  if (node != kNoIndex) {
    const SceneNode& shown = canvas_->scene().nodes[node];
    if (shown.group)
      menu.addAction(shown.open ? tr("Close") : tr("Open"), this, [this, key] { toggle(key); });
    if (const Instruction* instruction = picture_->instructions[node]; instruction != nullptr) {
      const InstructionId id = instruction->id();
      menu.addAction(tr("Go to the text"), this, [this, id] { Q_EMIT instructionActivated(id); });
      menu.addAction(tr("Neighbourhood"), this, [this] { focusOnSelected(FocusKind::Hops, kDefaultHops); });
      menu.addAction(tr("Operands (transitive)"), this, [this] { focusOnSelected(FocusKind::Operands); });
      menu.addAction(tr("Users (transitive)"), this, [this] { focusOnSelected(FocusKind::Users); });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy name"), this, [text = shown.title] { QApplication::clipboard()->setText(text); });
    menu.addAction(tr("Copy as an HLO module"), this, [this, key] { copyAsModule(key); });
    menu.addAction(tr("Save as an HLO module…"), this, [this, key] { saveAsModule(key); });
    menu.addAction(tr("Export a picture of this…"), this, [this] { askExport(ExportPart::Selection); });
    menu.addSeparator();
  }
  if (focus_) menu.addAction(tr("Clear focus"), this, &GraphView::leaveFocus);
  menu.addAction(tr("Open all groups"), this, &GraphView::openAll);
  menu.addAction(tr("Close all groups"), this, &GraphView::closeAll);
  menu.addAction(tr("Export all…"), this, &GraphView::exportAll);
  menu.addAction(tr("Export what is in sight…"), this, [this] { askExport(ExportPart::InSight); });
  menu.exec(place);
}

QString GraphView::nodeHtml(SceneNodeId key) const {
  const uint32_t node = canvas_->index().find(key);
  if (picture_ == nullptr || node == kNoIndex) return {};
  if (const Instruction* instruction = picture_->instructions[node]; instruction != nullptr)
    return instructionHtml(*instruction, cost_ == nullptr ? nullptr : &cost_->of(*instruction));
  const SceneNode& shown = canvas_->scene().nodes[node];
  const auto opcodes = picture_->opcodes.find(node);
  return groupHtml({shown.title, shown.subtitle, {}, true},
                   opcodes == picture_->opcodes.end() ? std::span<const std::pair<Opcode, uint32_t>>()
                                                      : opcodes->second) +
         sharesHtml(shown);
}

// What the bar at the foot of a group says.
QString GraphView::sharesHtml(const SceneNode& group) const {
  if (!picture_->legend || group.parts.empty()) return {};
  QString html =
      QStringLiteral("<i>%1</i><table cellspacing='2'>").arg(picture_->legend->title.toHtmlEscaped());
  for (const auto& [category, share] : group.parts) {
    html += QStringLiteral("<tr><td align='right'>%1%&nbsp;</td><td>%2</td></tr>")
                .arg(100 * share, 0, 'f', 1)
                .arg(picture_->legend->categories.value(category).toHtmlEscaped());
  }
  return html + QStringLiteral("</table>");
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
