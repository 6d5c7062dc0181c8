// Operations whose tiles need other ranges of their operands than the tiles that lie on their devices:
// windows, pads, slices. Their factors have `isWindow` (op_factors.h); what lies beside an operand comes
// with its tiles, so that the local operation pads nothing along these dimensions.
#pragma once

#include "core/compiler/spmd/loop_nest.h"
#include "core/compiler/spmd/tile_ranges.h"

namespace hilo {

// What the tiles of a factor need of an operand that has it; nullopt where they need its own tiles.
std::optional<TileRanges> windowRanges(const Instruction& instruction, const Factor& factor, size_t operand,
                                       int64_t tiles);

// Brings all operands of window factors that are cut into the ranges their tiles need.
void takeWindows(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands);
// Attributes of the local operation along window factors that are cut, and its result cut out of more.
Instruction* makeWindowsLocal(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                              Instruction* local);

}  // namespace hilo
