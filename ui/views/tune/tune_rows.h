// What tuning found as rows of a table: a way of compiling an instruction each.
#pragma once

#include "core/workspace/tune/tune.h"
#include "ui/models/table_model.h"

namespace hilo {

struct TuneRow {
  std::string instruction;  // the first of those that are alike, in the tuned module
  size_t alike = 0;         // how many others there are
  std::string work;         // "dot", "fusion of tanh"
  std::string backend, way;
  int64_t medianNs = 0;              // 0: it was not run
  std::optional<Interval> interval;  // where the median lies
  Ratio speedUp;  // the default's time over its own; 0: it was not run, low 0: how sure is not known
  bool isBest = false;
  bool wasKept = false;  // found before, not now
  std::string remark;
};

// An instruction's ways one after the other, the default first; of what was kept the chosen way alone.
std::vector<TuneRow> tuneRowsOf(const TuneReport& report);
std::vector<TableColumn<TuneRow>> tuneColumns();

}  // namespace hilo
