// Which instructions may stand in a tile program.
#pragma once

#include <optional>

#include "core/analysis/tile_program/tile_program.h"

namespace hilo {

// What an instruction becomes; nullopt op: its result's tile has the operand's elements, place for place.
struct TileForm {
  std::optional<TileOp> op;
};

// Error kind "not-a-tile-program": the instruction is not on the list (tile_opcodes.def, and all elementwise
// opcodes), or has what no tile has a place for; it names the instruction and says why.
Result<TileForm> tileFormOf(const Instruction& instruction);

// The error "not-a-tile-program" of an instruction, with the reason.
std::unexpected<Diagnostic> notATileProgram(const Instruction& instruction, std::string_view why);

}  // namespace hilo
