// Whether devices that a collective joins have the same value.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Made of constants, of parameters whose sharding says that they are replicated, and of what was reduced or
// gathered among all devices that the collective joins - a collective-permute: all. One replica only.
bool isSameOnDevicesOf(const Instruction& value, const Instruction& collective);

}  // namespace hilo
