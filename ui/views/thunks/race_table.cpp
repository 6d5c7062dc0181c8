#include "ui/views/thunks/race_table.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

std::vector<TableColumn<RaceRow>> columns() {
  return {{"thunk", [](const RaceRow& row) { return qs(row.first); }},
          {"and thunk", [](const RaceRow& row) { return qs(row.second); }},
          {"data race on", [](const RaceRow& row) { return qs(row.race.use.place); }}};
}

}  // namespace

RaceTable::RaceTable(QWidget* parent) : TableView(parent), model_(columns()) {
  setModel(&model_);
  setEmptyText("No data races.");
  setColumnWidths({24, 24, 34});
  setAccessibleName("Races");
  const auto choose = [this](const QModelIndex& index) {
    if (const RaceRow* row = model_.rowAt(index)) Q_EMIT raceChosen(row->race);
  };
  connect(this, &TableView::currentRowChanged, this, choose);
  connect(this, &QAbstractItemView::clicked, this, choose);
}

void RaceTable::setStudy(const ThunkStudy& study) {
  std::vector<RaceRow> rows;
  for (const ThunkRace& race : study.races)
    rows.push_back({race, study.thunks[race.first].name, study.thunks[race.second].name});
  model_.setRows(std::move(rows));
}

}  // namespace hilo
