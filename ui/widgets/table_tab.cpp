#include "ui/widgets/table_tab.h"

namespace hilo {

TableView* addTable(QTabWidget& tabs, QAbstractItemModel& model, const QString& title, const QString& empty,
                    const std::vector<int>& widths) {
  auto* table = new TableView(&tabs);
  table->setModel(&model);
  table->setEmptyText(empty);
  if (!widths.empty()) table->setColumnWidths(widths);
  table->setAccessibleName(title);
  tabs.addTab(table, title);
  return table;
}

}  // namespace hilo
