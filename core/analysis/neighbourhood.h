// Parts of a computation around chosen instructions: what the graph's focus shows.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// All functions stay within the computation of the first argument, follow operands, users and control
// dependencies, give the start first and then the nearest first, and stop at `limit` instructions.

// What is up to `hops` edges away in either direction.
std::vector<const Instruction*> instructionsWithin(const Instruction& centre, uint32_t hops, size_t limit);

enum class ConeDirection : uint8_t { Operands, Users };
// All that the instruction depends on, or all that depends on it.
std::vector<const Instruction*> coneOf(const Instruction& tip, ConeDirection direction, size_t limit);

// All that lies on a way from `from` to `to` along users, both included; tried the other way round when there
// is none. Empty when neither depends on the other.
std::vector<const Instruction*> pathsBetween(const Instruction& from, const Instruction& to, size_t limit);

}  // namespace hilo
