// Where an instruction's values lie and which thunks run it, as inspector rows; of a module, its
// allocations by size.
#pragma once

#include "core/workspace/thunks/instruction_buffers.h"
#include "ui/models/inspector_rows.h"

namespace hilo {

// Empty where nothing is known of the instruction.
std::vector<InspectorRow> bufferRows(const ModuleBuffers& buffers, const Instruction& instruction);
std::vector<InspectorRow> bufferRows(const ModuleBuffers& buffers, const Module& module);

}  // namespace hilo
