// A while loop of one device's program that the partitioner makes.
#pragma once

#include <functional>

#include "core/compiler/spmd/local_builder.h"

namespace hilo {

// Calls `body` once, with the loop's values and the number of the round (s32) as instructions of the new
// computation, where the builder stands meanwhile; it gives the values of the next round, of the same shapes.
// Returns the values after `trips` rounds. The computations are named NAME_body_KIND and NAME_cond_KIND.
using LoopBody =
    std::function<std::vector<Instruction*>(std::span<Instruction* const> values, Instruction* round)>;
std::vector<Instruction*> makeLoop(LocalBuilder& builder, std::string_view name, std::string_view kind,
                                   int64_t trips, std::vector<Instruction*> values, const LoopBody& body);

}  // namespace hilo
