// One of several choices of a menu, of which one is made.
#pragma once

#include <QActionGroup>
#include <QMenu>

namespace hilo {

inline QAction* addChoice(QMenu* menu, QActionGroup* group, const QString& text, int data, bool checked) {
  QAction* action = menu->addAction(text);
  action->setCheckable(true);
  action->setData(data);
  action->setActionGroup(group);
  action->setChecked(checked);
  return action;
}

}  // namespace hilo
