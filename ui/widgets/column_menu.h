// Which columns of a table are shown, as a menu.
#pragma once

class QMenu;
class QTreeView;

namespace hilo {

// An action for each column, checked where it is shown; the last one that is stays.
void addColumns(QMenu& menu, QTreeView& table);

}  // namespace hilo
