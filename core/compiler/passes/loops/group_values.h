// Integers that follow from which device runs, as the place of an expert's or a stage's slice does.
// Private to this folder.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether all devices of each of a collective's groups have the same value, as far as it follows from
// constants, tables of them and the device's ids. False where that is not known.
bool isSameWithinGroups(const Instruction& value, const Instruction& collective);

}  // namespace hilo
