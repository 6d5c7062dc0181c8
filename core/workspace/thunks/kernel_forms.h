// A kernel in all its forms, side by side, with which line of each came of which instruction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/llvm_kernel_options.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

struct KernelForm {
  std::string title;  // "HLO", "LLVM IR as emitted"
  std::string text;
  // By line, from the first; not valid where it came of none. Empty: nothing is known of its lines.
  std::vector<InstructionId> instructions;
  // Of a difference, by line: '+', '-' or ' '. Empty of any other.
  std::string marks;

  char markOf(size_t line) const { return line < marks.size() ? marks[line] : ' '; }
  InstructionId at(size_t line) const {
    return line < instructions.size() ? instructions[line] : InstructionId();
  }
};

struct KernelForms {
  std::vector<KernelForm> forms;  // from the HLO to assembly
  // How LLVM compiled it; nullopt where there is only the code.
  std::optional<LlvmKernelOptions> options;
};

// The instruction and what it calls, a computation after the other, with their lines.
KernelForm hloForm(const Instruction& instruction);

// Two listings as one: lines that only `after` has begin with '+', those that only `before` has with '-',
// others with a space, and so say its marks.
KernelForm differenceOf(const KernelForm& before, const KernelForm& after, std::string title);

}  // namespace hilo
