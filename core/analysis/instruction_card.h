// What a hover card or a tooltip says about an instruction: short facts, in the order a person reads them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct InstructionCard {
  std::string title;  // name
  std::string opcode;
  // Label and value: shape, bytes, sharding, replica groups, called computations, source, op_name, ...
  // Values of more than 300 bytes are cut.
  std::vector<std::pair<std::string, std::string>> facts;
};

InstructionCard instructionCard(const Instruction& instruction);

// "model.py:42", from the metadata or the innermost stack frame; empty when there is none.
std::string sourcePlace(const Instruction& instruction);

}  // namespace hilo
