// Every value of a plan with its place, when it is made and last needed, and who uses it, one a line,
// separated by commas: the table that XLA's BufferAssignment::BufferInfoString
// (service/buffer_assignment.cc) writes.
#pragma once

#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

// Values of the plan that the module does not have, or that are in no allocation, are left out.
std::string printBufferTable(const ValueLiveRanges& ranges, const BufferAssignment& plan);

}  // namespace hilo
