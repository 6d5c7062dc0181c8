// Which instructions of a module the tile view offers.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The fusions, in the order of the text; those inside of other fusions are parts of these.
std::vector<const Instruction*> fusionsOf(const Module& module);

// What is shown for an instruction: the fusion that it lies in, else itself.
const Instruction& tiledFor(const Module& module, const Instruction& instruction);

}  // namespace hilo
