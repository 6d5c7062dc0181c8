// What one element of an operation's result costs beside reading its operands: op_work.def.
#pragma once

#include "core/hlo/ir/element_type.h"
#include "core/hlo/ir/opcode.h"

namespace hilo {

// Nanoseconds of one thread; of complex numbers for each part of the work.
double elementNs(Opcode opcode, ElementType type);
// An element costs more than reading a value back from a near cache.
bool isCostly(Opcode opcode);

}  // namespace hilo
