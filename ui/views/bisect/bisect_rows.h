// Looks of a search, and steps and moves of a reduction, as rows of tables.
#pragma once

#include <QString>

#include "core/workspace/bisect/bisect.h"
#include "core/workspace/reduce/reduce.h"
#include "ui/models/table_model.h"

namespace hilo {

struct LookRow {
  int number = 0;  // from 1, in the order they were made
  BisectLook look;
};
std::vector<LookRow> lookRowsOf(const Bisection& search);
std::vector<TableColumn<LookRow>> lookColumns();

struct ReducedRow {
  size_t step = 0;  // 0: the input
  QString move;
  size_t sites = 0;
  int64_t instructions = 0;
  int64_t atNs = 0;
  std::shared_ptr<const Module> module;
};
std::vector<ReducedRow> reducedRowsOf(std::shared_ptr<const Module> input, const Reduction& reduction);
std::vector<TableColumn<ReducedRow>> reducedColumns();
std::vector<TableColumn<MoveTally>> moveColumns();

// In a sentence: "cse broke it: rewrite 3 of this run, of %add.5. differs: 4 of 8 elements ..."; why there is
// no answer where there is none.
QString answerOf(const Bisection& found);

}  // namespace hilo
