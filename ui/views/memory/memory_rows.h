// What the tables beside the maps list: plain rows, and how they read.
#pragma once

#include "core/analysis/memory/memory_blame.h"
#include "core/workspace/memory/memory_plans.h"
#include "ui/models/table_model.h"

namespace hilo {

// "−1.50 KiB", "+3 B"; `none` of no bytes.
QString signedBytes(int64_t bytes, const char* none);

struct LiveRow {
  size_t value = 0;  // position in the profile
  InstructionId instruction;
  QString name, opcode, place, kind, scope, source;
  int64_t bytes = 0, start = 0, end = 0;
};
std::vector<TableColumn<LiveRow>> liveColumns();
// What is live at a step, largest first, at most `limit`; parameters and constants among it when `fixed`.
std::vector<LiveRow> liveRows(const MemoryPlans& plans, const MemoryPlan& plan, int64_t step, bool fixed,
                              size_t limit);

struct GroupRow {
  uint32_t group = 0;  // position in the ranked groups
  QString name;
  int64_t bytes = 0, peakBytes = 0;
  int64_t values = 0;
};
std::vector<TableColumn<GroupRow>> groupColumns();
// Of the groups of what is live at a step, and at the plan's peak.
std::vector<GroupRow> groupRows(const MemoryPlan& plan, const RankedGroups& groups, int64_t step, bool fixed);

struct EndRow {
  InstructionId instruction;
  QString plan, name;
  int64_t bytes = 0, end = 0, needed = 0, freeBytes = 0, step = 0;
};
std::vector<TableColumn<EndRow>> endColumns();
std::vector<EndRow> endRows(const MemoryPlans& plans);

std::vector<TableColumn<PlacementDifference>> differenceColumns();
std::vector<TableColumn<AliasRow>> aliasColumns();
std::vector<TableColumn<CopyVerdict>> copyColumns();

}  // namespace hilo
