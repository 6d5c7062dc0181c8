// Values that are written over those which they are made of: of large tiles half as much lies near then.
#pragma once

#include "core/compiler/codegen/cpu/host_worker.h"

namespace hilo::cpu {

// Operations that are computed for this one, each element of elements at its own place: itself first.
std::vector<size_t> madeForOne(const tiles::TileEmitter& tiles, size_t operation);
// Whether anything but those and `reader` asks for one of them.
bool isAskedBeside(const TileProgram& program, size_t operation, const std::vector<size_t>& made,
                   std::optional<size_t> reader);

// The room that the operation's elements may be written to, each where one that it is made of lies, while
// `reader`, a fold that is written next, goes through them. null: there is none, or something that is written
// later asks for what would be lost.
const tiles::TileRoom* roomToWriteOver(tiles::TileEmitter& tiles, size_t operation, size_t reader);

}  // namespace hilo::cpu
