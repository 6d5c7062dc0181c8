// Lines of a side-by-side view that have no line of their own on the other side, joined to those they came
// from or became part of.
#pragma once

#include "core/workspace/passes/pass_series.h"

namespace hilo {

// Fills in both.lineage, and a partner for each line without one: of an instruction after the first it came
// from, of one before the first that it became.
void addLineagePartners(SideBySide& both, const ModuleMatching& matching);

}  // namespace hilo
