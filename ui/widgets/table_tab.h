// A table behind a tab.
#pragma once

#include <QTabWidget>
#include <vector>

#include "ui/widgets/table_view.h"

namespace hilo {

// Behind the tabs there are. A screen reader says the title too; `empty` stands in a table without rows, and
// widths are counted in characters.
TableView* addTable(QTabWidget& tabs, QAbstractItemModel& model, const QString& title, const QString& empty,
                    const std::vector<int>& widths = {});

}  // namespace hilo
