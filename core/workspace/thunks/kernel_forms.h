// A kernel in all its forms, side by side, with which line of each came of which instruction.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/instruction.h"

namespace hilo {

struct KernelForm {
  std::string title;  // "HLO", "LLVM IR as emitted"
  std::string text;
  // By line, from the first; not valid where it came of none. Empty: nothing is known of its lines.
  std::vector<InstructionId> instructions;

  InstructionId at(size_t line) const {
    return line < instructions.size() ? instructions[line] : InstructionId();
  }
};

struct KernelForms {
  std::vector<KernelForm> forms;  // from the HLO to assembly
};

// The instruction and what it calls, a computation after the other, with their lines.
KernelForm hloForm(const Instruction& instruction);

}  // namespace hilo
