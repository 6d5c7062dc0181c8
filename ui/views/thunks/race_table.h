// The data races of a study: two thunks a row, and the bytes that nothing orders them on.
#pragma once

#include "core/workspace/thunks/thunk_study.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace hilo {

struct RaceRow {
  ThunkRace race;
  std::string first, second;  // names
};

class RaceTable : public TableView {
  Q_OBJECT

 public:
  explicit RaceTable(QWidget* parent = nullptr);
  void setStudy(const ThunkStudy& study);
  void clear() { model_.setRows({}); }
  const TableModel<RaceRow>& rows() const { return model_; }

 Q_SIGNALS:
  // The row was made current, or clicked again.
  void raceChosen(const ThunkRace& race);

 private:
  TableModel<RaceRow> model_;
};

}  // namespace hilo
