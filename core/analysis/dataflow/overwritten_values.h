// Values that a plan of the module as it is cannot keep: they must share a buffer with another that is
// written while they are needed, or they may not be written over at all. Copy insertion takes such
// apart; a module after it has none. Matches HloAliasAnalysis::HasLiveRangeInterference of XLA and its
// rule for read-only values.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/dataflow/value_live_ranges.h"

namespace hilo {

struct OverwrittenValue {
  ValueId value;
  ValueId writer;      // written to the same buffer
  std::string reason;  // "%user reads it later", "it is a parameter and not donated"
};

// "%a must share a place with %b and is overwritten by it: %c may read it later".
std::string overwrittenText(const DataflowAnalysis& dataflow, const OverwrittenValue& overwritten);

// In the order of the ranges' sequence. Of each buffer the first.
std::vector<OverwrittenValue> overwrittenValues(const ValueLiveRanges& ranges);

}  // namespace hilo
