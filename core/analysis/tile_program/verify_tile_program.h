// What has to hold of tile programs. Rules:
//  - a block's parent comes before it, and only a fold goes through it;
//  - an operand was made before, in the operation's block or further out; a fold's in its
//    loop or further out;
//  - tiles have the sizes that the operation needs of its operands;
//  - an offset is by variables that stand still there: those of the program, of the blocks it lies in,
//    of what is read;
//  - each result of the fusion is stored once, by a tile of its own sizes.
#pragma once

#include "core/analysis/tile_program/tile_program.h"

namespace hilo {

// Error kind "malformed-tile-program", with the operation and the rule: a mistake of
// whoever made the program.
Status verifyTilePrograms(const TiledFusion& fusion);

}  // namespace hilo
