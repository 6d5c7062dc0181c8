// Which colours an instruction has: by its opcode's class, or finer where the instruction is known.
#pragma once

#include "core/hlo/ir/module.h"
#include "ui/style/colours.h"

namespace hilo {

NodeRole nodeRole(OpcodeClass opcodeClass);
NodeRole nodeRole(const Instruction& instruction);

}  // namespace hilo
