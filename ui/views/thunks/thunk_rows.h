// What the table of thunks says of each: its times and its share of them, how a GPU launches it, where it
// comes from in the user's program.
#pragma once

#include "core/hlo/ir/module.h"
#include "core/workspace/thunks/thunk_study.h"
#include "ui/models/table_model.h"

namespace hilo {

struct ThunkTableRow {
  uint32_t thunk = 0;
  StudiedThunk facts;
  std::string in;  // the thunk that runs it, and as which part
  // Of the times of all thunks that no other runs, as they are measured or else estimated; -1: of those
  // within others, and without times.
  double share = -1;
  QString launch;       // "132 x 256 threads" of a kernel of a GPU
  QString source;       // ".../layers/model.py:420"
  QString wholeSource;  // of all folders
};

// In the order of the columns.
enum class ThunkColumn : uint8_t {
  Name,
  Measured,
  Estimated,
  Share,
  Bytes,
  Kind,
  Launch,
  Parent,
  Source,
  Graph
};

std::vector<TableColumn<ThunkTableRow>> thunkColumns();
// `module`: what the thunks' instructions are of; null: not known.
std::vector<ThunkTableRow> thunkRows(const ThunkStudy& study, const Module* module);
// What is not known of any row.
std::vector<ThunkColumn> emptyThunkColumns(std::span<const ThunkTableRow> rows);

}  // namespace hilo
