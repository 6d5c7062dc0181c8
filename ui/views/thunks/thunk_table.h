// Every thunk of a study as a row. Columns of which nothing is known are hidden.
#pragma once

#include "ui/views/thunks/thunk_rows.h"
#include "ui/widgets/table_view.h"

namespace hilo {

class ThunkTable : public TableView {
  Q_OBJECT

 public:
  explicit ThunkTable(QWidget* parent = nullptr);
  // `module`: what the thunks' instructions are of; null: not known.
  void setStudy(const ThunkStudy& study, const Module* module);
  // No rows; `why` shows in their place.
  void clear(const QString& why);
  // Makes the row of the thunk the current one.
  void select(uint32_t thunk);
  const TableModel<ThunkTableRow>& rows() const { return model_; }

 Q_SIGNALS:
  void thunkSelected(uint32_t thunk);

 private:
  void hideUnknown();

  TableModel<ThunkTableRow> model_;
};

}  // namespace hilo
