// Fusions by tiles that were chosen for them (analysis/tile_program): a thread does a tile at a time, what
// folds give lies on its stack.
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/compiler/codegen/cpu/host_worker.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/cpu/thread_tiles.h"
#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

namespace hilo::cpu {

using llvm::Value;

Result<bool> lowerTileProgram(const Instruction& fusion, LoweringContext& context) {
  TRY(auto stated, statedTiles(fusion));
  if (!stated) return false;
  const TiledFusion tiled = threadTiles(*std::move(stated), context.draft.target.firstCacheBytes);
  const tiles::TileTarget target{
      .write = [&](KernelDraft& draft, const tiles::TileTarget::WriteTile& write) -> Status {
        KernelBuilder& k = draft.builder();
        HostWorker worker(k, context.draft.registers);
        Status status;
        worker.forEachTile(
            [&](Value* number) { draft.elements().inFrame([&] { status = write(worker, number); }); });
        return status;
      },
      .iterations = [](int64_t tiles) { return tiles; }};
  TRY_STATUS(tiles::lowerTiledFusion(fusion, tiled, target, context));
  return true;
}

}  // namespace hilo::cpu
