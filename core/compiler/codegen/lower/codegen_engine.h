// What an engine adds to code generation, as data: lower/ has what every engine does in the same way, and
// knows none of them.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct CodegenTarget;
class LoweringContext;

// Adds the thunks of an instruction and says where its value lies. Error kinds: those of compileModule.
using LowerInstruction = Status (*)(const Instruction& instruction, LoweringContext& context);

// How instructions of one opcode become thunks: a line of a lowerings.def.
struct OpcodeLowering {
  Opcode opcode;
  LowerInstruction lower;
};

struct CodegenEngine {
  // Of the opcodes that lower/lowerings.def leaves to the engine.
  std::span<const OpcodeLowering> lowerings;
  // Of all others: an element of the result is a function of its index.
  LowerInstruction lowerElements;
  // The kind of processor with this triple; null when the engine has none.
  const CodegenTarget* (*findTarget)(std::string_view triple);
};

// Of lower/lowerings.def or, where that has no line for the opcode, of the engine.
LowerInstruction loweringOf(Opcode opcode, const CodegenEngine& engine);

}  // namespace hilo
