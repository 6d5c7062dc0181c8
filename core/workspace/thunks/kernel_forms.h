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

// An amount beside what there is of it, or what was counted beside what it was counted in.
struct KernelGauge {
  std::string name;  // "registers a thread"
  double share = 0;  // of the whole, 0 to 1
  std::string text;  // "40 of 255"
  bool isBad = false;
};

struct KernelForms {
  std::vector<KernelForm> forms;    // from the HLO to assembly
  std::vector<KernelGauge> gauges;  // of kernels of a GPU
  // How LLVM compiled it; nullopt where there is only the code.
  std::optional<LlvmKernelOptions> options;
};

// The instruction and what it calls, a computation after the other, with their lines.
KernelForm hloForm(const Instruction& instruction);

// Two listings as one: lines that only `after` has begin with '+', those that only `before` has with '-',
// others with a space, and so say its marks.
KernelForm differenceOf(const KernelForm& before, const KernelForm& after, std::string title);

}  // namespace hilo
