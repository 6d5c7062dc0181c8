// The greedy memory-minimising order: of the instructions that are ready, the one that frees most bytes, then
// the one with most users. XLA's ListScheduler. Private to this folder.
#pragma once

#include "core/analysis/dataflow/dataflow_analysis.h"

namespace hilo {

std::vector<Instruction*> listOrder(const Computation& computation, const DataflowAnalysis& dataflow);

}  // namespace hilo
