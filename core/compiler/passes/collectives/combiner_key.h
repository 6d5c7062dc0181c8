// Which collectives may be made one by collective_combiner.h.
#pragma once

#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

// Collectives with equal keys may be one. "": this one stays alone.
std::string combinerKeyOf(const Instruction& collective);

// A loop that was pipelined runs it beside the work of another step.
bool isPipelinedCollective(const Instruction& collective);
// Stays without start and done: sync_collective="true".
bool isStatedSynchronous(const Instruction& collective);

}  // namespace hilo
