// One instruction of a module that XLA compiled, as a module of its own whose parameters are its operands.
// Private to the room.
#pragma once

#include <memory>

#include "core/workspace/compiled/dumped_buffers.h"

namespace hilo {

Result<std::shared_ptr<const Module>> moduleOfOne(const Instruction& instruction);

// Where its arrays lie, each operand and result in an allocation of its own, but where XLA put a
// result into an operand. Kind "unsupported-program": two operands lie in the same bytes, so that they
// cannot be given apart.
Result<BufferAssignment> assignmentOfOne(const Instruction& instruction, const Module& alone,
                                         const DumpedBuffers& buffers);

}  // namespace hilo
