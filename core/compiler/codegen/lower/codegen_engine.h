// What an engine adds to code generation, as data: lower/ has what every engine does in the same way, and
// knows none of them.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/compiler/codegen/lower/obstacles.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct CodegenTarget;
class LoweringContext;

// Adds the thunks of an instruction and says where its value lies. Error kinds: those of compileModule.
using LowerInstruction = Status (*)(const Instruction& instruction, LoweringContext& context);

// What operands and result may be.
enum class LoweredValues { Arrays, Tuples };

// How instructions of one opcode become thunks: a line of a lowerings.def.
struct OpcodeLowering {
  Opcode opcode;
  LowerInstruction lower;
  LoweredValues values;
  FindObstacle findObstacle;
};

struct CodegenEngine {
  std::string_view name;  // "cpu"
  // Of the opcodes that lower/lowerings.def leaves to the engine, and those that it does in its own way.
  std::span<const OpcodeLowering> lowerings;
  // An element of the result is a function of its index.
  LowerInstruction lowerElements;
  // What of an instruction of any opcode the engine does not take.
  FindObstacle findObstacle;
  // The kind of processor with this triple; null when the engine has none.
  const CodegenTarget* (*findTarget)(std::string_view triple);
};

// Of the engine or, where it has no line for the opcode, of lower/lowerings.def; elementwise opcodes are the
// engine's lowerElements. nullopt: there is no lowering.
std::optional<OpcodeLowering> loweringOf(Opcode opcode, const CodegenEngine& engine);

}  // namespace hilo
