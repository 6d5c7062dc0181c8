// Why a dump cannot be run as XLA compiled it. Private to the room.
#pragma once

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// Kind "unsupported-program".
inline Status refuseDumped(const Instruction& instruction, std::string_view why) {
  return fail("unsupported-program",
              fmt::format("%{} ({}): {}", instruction.name(), opcodeName(instruction.opcode()), why));
}

}  // namespace hilo
