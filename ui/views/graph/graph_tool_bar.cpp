#include "ui/views/graph/graph_tool_bar.h"

#include <QEvent>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/graph/menu_choice.h"
#include "ui/widgets/overflow_button.h"

namespace hilo {

GraphToolBar::GraphToolBar(QWidget* parent) : QToolBar(parent) {
  setIconSize(QSize(kUiFontPx, kUiFontPx));
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  buildGroupingMenu();
  colourMenu_ = addMenuButton(*this, tr("Colour"), tr("What the colours of nodes say"));
  buildFocusMenu();
  const auto add = [this](const QString& text, const QString& tip, auto signal) {
    addAction(text, this, signal)->setToolTip(tip);
  };
  add(tr("Fit"), tr("Show everything that is open (F)"), &GraphToolBar::fitAsked);
  add(tr("Selection"), tr("Zoom to the selection (Z)"), &GraphToolBar::selectionAsked);
  add(tr("Open all"), tr("Open all groups (E)"), &GraphToolBar::openAllAsked);
  add(tr("Close"), tr("Close all groups but those of the first look (C)"), &GraphToolBar::closeAllAsked);
  add(tr("Legend"), tr("What the colours mean (?)"), &GraphToolBar::legendAsked);
  add(tr("Export…"), tr("Write the graph as SVG, PDF, PNG or DOT"), &GraphToolBar::exportAsked);
  drawOverflowButton(*this);
}

void GraphToolBar::changeEvent(QEvent* event) {
  QToolBar::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawOverflowButton(*this);
}

void GraphToolBar::showGrouping(GroupingMode mode) {
  for (QAction* action : groupingMenu_->actions()) {
    if (action->data().isValid()) action->setChecked(action->data().toInt() == static_cast<int>(mode));
  }
}

void GraphToolBar::showFolding(bool fold) { foldAction_->setChecked(fold); }

void GraphToolBar::buildGroupingMenu() {
  groupingMenu_ =
      addMenuButton(*this, tr("Group"), tr("What groups are made of, and what is folded into its users"));
  auto* group = new QActionGroup(groupingMenu_);
  addChoice(groupingMenu_, group, tr("By op_name scope (G)"), static_cast<int>(GroupingMode::ByScope), true);
  addChoice(groupingMenu_, group, tr("By called computation (G)"),
            static_cast<int>(GroupingMode::ByComputation), false);
  connect(group, &QActionGroup::triggered, this, [this](QAction* action) {
    Q_EMIT groupingChosen(static_cast<GroupingMode>(action->data().toInt()));
  });
  groupingMenu_->addSeparator();
  foldAction_ = groupingMenu_->addAction(tr("Fold constants and tuple elements (T)"));
  foldAction_->setCheckable(true);
  foldAction_->setChecked(true);
  connect(foldAction_, &QAction::toggled, this, &GraphToolBar::foldingChosen);
}

void GraphToolBar::buildFocusMenu() {
  QMenu* menu = addMenuButton(*this, tr("Focus"), tr("Show only what is near the selection; Esc leaves"));
  for (uint32_t hops = 1; hops <= 4; ++hops) {
    menu->addAction(tr("%1 around the selection (%2)").arg(countOf(hops, "hop")).arg(hops), this,
                    [this, hops] { Q_EMIT focusChosen(FocusKind::Hops, hops); });
  }
  menu->addSeparator();
  menu->addAction(tr("Operands, transitive (I)"), this,
                  [this] { Q_EMIT focusChosen(FocusKind::Operands, 1); });
  menu->addAction(tr("Users, transitive (O)"), this, [this] { Q_EMIT focusChosen(FocusKind::Users, 1); });
  menu->addAction(tr("All paths from the selection before (P)"), this, &GraphToolBar::pathsChosen);
  menu->addSeparator();
  menu->addAction(tr("Clear focus (Esc)"), this, &GraphToolBar::focusLeft);
}

}  // namespace hilo
