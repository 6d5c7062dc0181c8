// What Edit does is what the widget with the focus does: the keys of the menu go to it.
#pragma once

#include <QMenu>

namespace hilo {

void addEditActions(QMenu& menu);

}  // namespace hilo
