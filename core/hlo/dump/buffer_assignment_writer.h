// Writes a buffer assignment as XLA does, so that what reads XLA's reads Hilo's.
#pragma once

#include <string>

#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

// The text of "-buffer-assignment.txt": allocations with their values, the sum, the sequence and the live
// ranges. The list of values with their uses, which repeats the others, is left out.
std::string printBufferAssignment(const BufferAssignment& assignment);

void writeBufferAssignment(const BufferAssignment& assignment, pb::BufferAssignmentProto& proto);

}  // namespace hilo
