// Which pass made an instruction, and from which instructions. Kept by the module for instructions a pass
// made; what was there at the start has none.
#pragma once

#include <absl/container/inlined_vector.h>

#include "core/hlo/ir/instruction.h"

namespace hilo {

struct Provenance {
  uint32_t pass = 0;  // index into Module::passNames()
  absl::InlinedVector<InstructionId, 1> from;
};

}  // namespace hilo
