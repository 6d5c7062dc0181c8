// Fusions by tiles that XLA or a person chose for them (analysis/tile_program): a block does a tile.
//
// Rule: the fusion says its sizes: frontend_attributes={hilo_tiles="..."} or {hilo_gpu_kernel="tile program
// ..."}, block_level_fusion_config or triton_gemm_config. Sizes that are not legal are an error. What takes
// too much of a block is one where a person chose it; what XLA chose for memory that is laid out otherwise
// goes to the other shapes.
#include "core/analysis/gpu_kernel_choice.h"
#include "core/analysis/schedule/async_op.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/compiler/codegen/gpu/block_worker.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

namespace hilo::gpu {
namespace {

Result<std::optional<TiledFusion>> tilesOf(const Instruction& fusion) {
  const auto stated = statedGpuKernel(fusion);
  if (!stated || stated->sizes.empty()) return configuredTiles(fusion);
  TRY(TiledFusion tiled, tiledFusion(fusion, stated->sizes));
  return tiled;
}

bool isStated(const Instruction& fusion) {
  return frontendAttribute(fusion, kTilesAttribute) || statedGpuKernel(fusion);
}

}  // namespace

Result<bool> lowerTileProgram(const Instruction& instruction, LoweringContext& context) {
  if (instruction.opcode() != Opcode::Fusion) return false;
  TRY(const auto tiled, tilesOf(instruction));
  if (!tiled) return false;
  const tiles::TileTarget target{
      .write = [&](KernelDraft& draft, const tiles::TileTarget::WriteTile& write) -> Status {
        BlockWorker worker(draft.builder(), context.draft.program.target);
        worker.meet();  // the piece before has been read
        return write(worker, worker.block().piece());
      },
      .iterations = Block::iterations};
  const Status done = tiles::lowerTiledFusion(instruction, *tiled, target, context);
  if (done) return true;
  const bool isTooLarge = done.error().kind == "too-much-shared-memory" || done.error().kind == "too-large";
  if (isTooLarge && !isStated(instruction)) return false;
  return std::unexpected(done.error());
}

}  // namespace hilo::gpu
