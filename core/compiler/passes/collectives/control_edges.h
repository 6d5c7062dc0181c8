// Control dependencies when instructions are replaced by others.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/hlo/ir/module.h"

namespace hilo {

// Who waited for a replaced instruction waits for what stands in its place.
void redirectControlPredecessors(Computation& computation,
                                 const absl::flat_hash_map<const Instruction*, Instruction*>& replacedBy);

}  // namespace hilo
