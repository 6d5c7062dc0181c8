// Tiled fusions as kernels, whatever the target.
#pragma once

#include "core/analysis/tile_program/tile_program.h"
#include "core/compiler/codegen/tiles/tile_emitter.h"

namespace hilo::tiles {

// What a target does of it: begins a kernel, and says which tile is computed (`number`), with whom.
struct TileTarget {
  // Writes program after program with its workers, and gives how many iterations the kernel has for so many
  // tiles. The body writes the program of one tile.
  using WriteTile = std::function<Status(TileWorkers& workers, llvm::Value* number)>;
  std::function<Status(KernelDraft& draft, const WriteTile& write)> write;
  std::function<int64_t(int64_t tiles)> iterations;
};

// One kernel a program. Error kinds: the target's, "too-large".
Status lowerTiledFusion(const Instruction& instruction, const TiledFusion& fusion, const TileTarget& target,
                        LoweringContext& context);

}  // namespace hilo::tiles
