// The other way round: from a tile of an operand to the tile of the result that its elements go into. Matches
// XLA's xla/codegen/tiling/experimental/tile_propagation.h (PropagateTileToOutput).
#pragma once

#include "core/analysis/tiling/tile.h"

namespace hilo {

// `sizes` are of the operand's dimensions, whose tiles start at multiples of them: d0, d1... in the offsets.
// Dimensions of the result that the operand has not are whole. The error ("not-tileable", "illegal-tiling")
// names the instruction and why.
Result<InstructionTile> resultTile(const Instruction& instruction, size_t operand,
                                   std::span<const int64_t> sizes);

}  // namespace hilo
