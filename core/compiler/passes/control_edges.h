// Control dependencies: who waits for whom, and what becomes of the waiting when instructions are replaced by
// others that stand in their place.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/hlo/ir/module.h"

namespace hilo {

// Nothing happens where it waits for it already.
void addControlPredecessor(Instruction& instruction, Instruction& predecessor);

// Who waited for a replaced instruction waits for what stands in its place.
void redirectControlPredecessors(Computation& computation,
                                 const absl::flat_hash_map<const Instruction*, Instruction*>& replacedBy);

// Whether `from` waits for `other`, through operands or control predecessors, or is it.
bool waitsFor(const Instruction& from, const Instruction& other);

}  // namespace hilo
