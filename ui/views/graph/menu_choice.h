// Menus of a tool bar, and the choices in them of which one is made.
#pragma once

#include <QActionGroup>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>

namespace hilo {

inline QAction* addChoice(QMenu* menu, QActionGroup* group, const QString& text, int data, bool checked) {
  QAction* action = menu->addAction(text);
  action->setCheckable(true);
  action->setData(data);
  action->setActionGroup(group);
  action->setChecked(checked);
  return action;
}

// A button of the bar that opens the menu.
inline QMenu* addMenuButton(QToolBar& bar, const QString& text, const QString& tip) {
  auto* menu = new QMenu(text, &bar);
  menu->menuAction()->setToolTip(tip);
  bar.addAction(menu->menuAction());
  qobject_cast<QToolButton*>(bar.widgetForAction(menu->menuAction()))
      ->setPopupMode(QToolButton::InstantPopup);
  return menu;
}

}  // namespace hilo
