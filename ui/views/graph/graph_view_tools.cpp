// The graph view's tool bar, menus, status and legend.
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QToolBar>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/graph/legend.h"
#include "ui/views/graph/menu_choice.h"
#include "ui/widgets/overflow_button.h"

namespace hilo {
namespace {

constexpr uint32_t kDefaultHops = 2;
constexpr int kLeastStatusWidth = 60;

}  // namespace

void GraphView::buildToolBar(JobQueue& jobs) {
  toolBar_->setIconSize(QSize(kUiFontPx, kUiFontPx));
  toolBar_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  buildGroupingMenu();
  colours_ = new GraphColours(jobs, worker_.tag(), *canvas_,
                              addMenuButton(*toolBar_, tr("Colour"), tr("What the colours of nodes say")),
                              static_cast<QVBoxLayout&>(*layout()), this);
  connect(colours_, &GraphColours::changed, this, [this] { order(canvas_->selected()); });
  connect(colours_, &GraphColours::paletteChanged, this, &GraphView::placeLegend);
  connect(colours_, &GraphColours::explained, this, [this](bool byLegend) { legend_->setVisible(byLegend); });
  connect(colours_, &GraphColours::said, this, &GraphView::say);
  buildFocusMenu();
  const auto add = [this](const QString& text, const QString& tip, auto action) {
    toolBar_->addAction(text, this, action)->setToolTip(tip);
  };
  add(tr("Fit"), tr("Show everything that is open (F)"), [this] { canvas_->fit(); });
  add(tr("Selection"), tr("Zoom to the selection (Z)"), [this] { canvas_->zoomToSelection(); });
  add(tr("Open all"), tr("Open all groups (E)"), &GraphView::openAll);
  add(tr("Close"), tr("Close all groups but those of the first look (C)"), &GraphView::closeAll);
  add(tr("Legend"), tr("What the colours mean (?)"), [this] { setLegendShown(legend_->isHidden()); });
  add(tr("Export…"), tr("Write the graph as SVG, PDF, PNG or DOT"),
      [this] { export_.ask(GraphExport::Part::All); });
  drawOverflowButton(*toolBar_);
}

void GraphView::buildGroupingMenu() {
  groupingMenu_ =
      addMenuButton(*toolBar_, tr("Group"), tr("What groups are made of, and what is folded into its users"));
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
  if (const QString colour = colours_->name(); !colour.isEmpty()) words << QStringLiteral("colour=") + colour;
  for (const QString& query : colours_->queries()) words << QStringLiteral("query=") + query;
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
  QMenu* menu = addMenuButton(*toolBar_, tr("Focus"), tr("Show only what is near the selection; Esc leaves"));
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
    say(tr("Select one instruction and then another to see the paths between them."));
    return;
  }
  focusOn({.kind = FocusKind::Paths, .centre = before_, .other = selected_, .hops = 0});
}

void GraphView::say(const QString& status) {
  statusText_ = status;
  status_->setToolTip(status);
  fitStatus();
}

void GraphView::fitStatus() {
  const int room = status_->width();
  status_->setText(room < kLeastStatusWidth
                       ? QString()
                       : status_->fontMetrics().elidedText(statusText_, Qt::ElideRight, room));
}

void GraphView::setLegendShown(bool shown) {
  legend_->setVisible(shown);
  placeLegend();
}

void GraphView::placeLegend() {
  if (legend_->isHidden()) return;
  if (picture_ != nullptr && picture_->legend) {
    legend_->setOverlay(*picture_->legend);
    colours_->showCounts(picture_->legend->counts);
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
    if (picture_->instructions[node] != nullptr) {
      Q_EMIT menuAsked(&menu);
      menu.addAction(tr("Neighbourhood"), this, [this] { focusOnSelected(FocusKind::Hops, kDefaultHops); });
      menu.addAction(tr("Operands (transitive)"), this, [this] { focusOnSelected(FocusKind::Operands); });
      menu.addAction(tr("Users (transitive)"), this, [this] { focusOnSelected(FocusKind::Users); });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy name"), this, [text = shown.title] { QApplication::clipboard()->setText(text); });
    menu.addAction(tr("Copy as an HLO module"), this, [this, key] { export_.copyAsModule(key); });
    menu.addAction(tr("Save as an HLO module…"), this, [this, key] { export_.saveAsModule(key); });
    menu.addAction(tr("Export a picture of this…"), this,
                   [this] { export_.ask(GraphExport::Part::Selection); });
    menu.addSeparator();
  }
  if (focus_) menu.addAction(tr("Clear focus"), this, &GraphView::leaveFocus);
  menu.addAction(tr("Open all groups"), this, &GraphView::openAll);
  menu.addAction(tr("Close all groups"), this, &GraphView::closeAll);
  menu.addAction(tr("Export all…"), this, [this] { export_.ask(GraphExport::Part::All); });
  menu.addAction(tr("Export what is in sight…"), this, [this] { export_.ask(GraphExport::Part::InSight); });
  menu.exec(place);
}

}  // namespace hilo
