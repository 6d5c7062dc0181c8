// What an instruction does, in a cell of a table.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/hlo/ir/instruction.h"

namespace hilo::cli {

// "dot"; of a custom call, whose opcode says nothing, "custom-call TopK".
inline std::string opcodeAndTarget(const Instruction& instruction) {
  const std::string opcode(instruction.opcodeText());
  if (!instruction.has(Attr::CustomCallTarget)) return opcode;
  return fmt::format("{} {}", opcode, instruction.get<Attr::CustomCallTarget>());
}

}  // namespace hilo::cli
