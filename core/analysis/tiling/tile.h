// A tiling with chosen sizes: the tile of each instruction, as an offset by the tiles' first indices, a size
// and a stride in each dimension.
#pragma once

#include "core/analysis/tiling/progression.h"
#include "core/analysis/tiling/tiling_space.h"

namespace hilo {

struct TileDimension {
  AffineExpression offset;  // by the first index of each variable's tile, in TilingSpace::variables
  int64_t size = 1, stride = 0;
  // Some tile reaches below 0 or past the array's end there: those elements are masked.
  bool isMasked = false;
};

struct InstructionTile {
  std::vector<TileDimension> dimensions;
  std::vector<AffineExpression> devices;  // one for each of TiledInstruction::gathered
  int64_t elements() const;
  bool isMasked() const;
};

struct FusionTiling {
  std::vector<VariableTile> variables;  // one for each of TilingSpace::variables
  std::vector<InstructionTile> tiles;   // one for each of TilingSpace::instructions

  // Tiles of the results' dimensions, which may run in any order.
  int64_t independentTiles(const TilingSpace& space) const;
  // Of the elements that the tiles of the results' dimensions cover, how many lie outside: 0.25 for 12 by
  // tiles of 8.
  double wasted(const TilingSpace& space) const;
};

// `sizes` are one for each of TilingSpace::tiled(), 1 or more. The error ("illegal-tiling") names the
// instruction and the constraint that the sizes break.
Result<FusionTiling> tilingWith(const TilingSpace& space, std::span<const int64_t> sizes);

// Every legal choice among powers of two and whole dimensions, at most `most`, in ascending order.
// Source: SymbolicTileAnalysis::GetValidTilings. Folded dimensions are whole unless a dot folds them.
std::vector<std::vector<int64_t>> legalTilings(const TilingSpace& space, size_t most);

}  // namespace hilo
