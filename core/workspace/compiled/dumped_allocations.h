// The allocations of a dump's buffer assignment as those of a program. Private to the room.
#pragma once

#include "core/hlo/dump/buffer_assignment.h"
#include "core/runtime/program/program.h"

namespace hilo {

// Allocation i of the assignment becomes allocation i of the program. A constant whose values are not known,
// or that takes other bytes on a GPU, stands in `refused`. Error kind "unsupported-program": an allocation of
// a parameter that the module has not.
Status addAllocations(const Module& module, const BufferAssignment& assignment, Program& program,
                      Diagnostics& refused);
// A program may not write to its arguments: a parameter that thunks write to becomes a temporary into which
// an argument of its own is copied at the beginning.
void copyWrittenParameters(Program& program);

}  // namespace hilo
