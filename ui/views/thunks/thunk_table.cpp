#include "ui/views/thunks/thunk_table.h"

#include <QHeaderView>

namespace hilo {

ThunkTable::ThunkTable(QWidget* parent) : TableView(parent), model_(thunkColumns()) {
  setModel(&model_);
  setColumnWidths({20, 10, 11, 7, 8, 14, 18, 14, 24, 8});
  setFillingColumn(0, 22);
  setAccessibleName("Table of thunks");
  connect(this, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const ThunkTableRow* row = model_.rowAt(index)) Q_EMIT thunkSelected(row->thunk);
  });
}

void ThunkTable::setStudy(const ThunkStudy& study, const Module* module) {
  model_.setRows(thunkRows(study, module));
  hideUnknown();
}

void ThunkTable::clear(const QString& why) {
  setEmptyText(why);
  model_.setRows({});
}

void ThunkTable::select(uint32_t thunk) {
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex index = model_.index(row, 0);
    if (model_.rowAt(index)->thunk == thunk) return setCurrentIndex(index);
  }
}

void ThunkTable::hideUnknown() {
  const auto empty = emptyThunkColumns(model_.rows());
  for (int column = 0; column < model_.columnCount(); ++column)
    setColumnHidden(column, std::ranges::find(empty, static_cast<ThunkColumn>(column)) != empty.end());
  for (const ThunkColumn column :
       {ThunkColumn::Kind, ThunkColumn::Launch, ThunkColumn::Parent, ThunkColumn::Graph})
    resizeColumnToContents(static_cast<int>(column));
  fill();
}

}  // namespace hilo
