// The calls by which a program says where an array is to lie, and the mark on work that the host does.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// "MoveToHost": its operand goes to the host and is used from there. "MoveToDevice": it is used on the
// device. Both give their operand's values as they are.
bool isMoveToHost(const Instruction& i);
bool isMoveToDevice(const Instruction& i);
// "AllocateBuffer": memory without contents.
bool isAllocateBuffer(const Instruction& i);
bool isCallTo(const Instruction& i, std::string_view target);

// Work that the host does: frontend attribute _xla_compute_type="host".
bool isHostCompute(const Instruction& i);
void markHostCompute(Instruction& i);
// A computation that runs on threads of the host: execution_thread="host".
bool isOfHostThread(const Computation& computation);
// The start of such a computation beside the device's work.
bool startsHostWork(const Instruction& i);

}  // namespace hilo
