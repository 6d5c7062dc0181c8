#include "ui/widgets/column_menu.h"

#include <QHeaderView>
#include <QMenu>
#include <QTreeView>

namespace hilo {

void addColumns(QMenu& menu, QTreeView& table) {
  const QHeaderView& header = *table.header();
  const int shown = header.count() - header.hiddenSectionCount();
  for (int column = 0; column < header.count(); ++column) {
    QAction* action = menu.addAction(table.model()->headerData(column, Qt::Horizontal).toString());
    action->setCheckable(true);
    action->setChecked(!table.isColumnHidden(column));
    action->setEnabled(shown > 1 || table.isColumnHidden(column));
    QObject::connect(action, &QAction::toggled, &table,
                     [&table, column](bool on) { table.setColumnHidden(column, !on); });
  }
}

}  // namespace hilo
