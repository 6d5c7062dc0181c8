// Where one instruction of a side-by-side view came from, or what became of it: what a fusion is made of.
#pragma once

#include "core/analysis/lineage/lineage.h"
#include "core/workspace/passes/pass_series.h"
#include "ui/models/table_model.h"

namespace hilo {

struct LineageRow {
  std::string inner;  // the instruction inside of the fusion or call that this is about; "" for itself
  LineageTie tie = LineageTie::Same;
  InstructionId other;  // on the other side
  std::string text;     // its line
};

// Of an instruction of the module after (`inAfter`) its sources, else its targets; then the same of what it
// calls, where that is run or fused. Those without a link are left out.
std::vector<LineageRow> lineageRows(const SideBySide& both, InstructionId id, bool inAfter);
std::vector<TableColumn<LineageRow>> lineageColumns();

}  // namespace hilo
