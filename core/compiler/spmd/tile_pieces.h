// Pieces of tiles that go from device to device along one dimension.
#pragma once

#include "core/compiler/spmd/reshard.h"

namespace hilo {

// For each tile the tile that it gets elements [begin, end) of, or one that is not.
struct TilePiece {
  std::vector<int64_t> sources;
  int64_t begin = 0, end = 0;
};

bool staysInPlace(const TilePiece& piece);
// By a permute where it does not stay; zeros where no tile is a source.
Instruction* takePiece(LocalBuilder& builder, const Part& part, size_t dimension, const TilePiece& piece);
// At least one.
Instruction* sideBySide(LocalBuilder& builder, std::span<Instruction* const> pieces, size_t dimension);
Instruction* sliceAlong(LocalBuilder& builder, Instruction* array, size_t dimension, int64_t begin,
                        int64_t end);

}  // namespace hilo
