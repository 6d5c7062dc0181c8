// Fusions by tiles that XLA or a person chose for them (analysis/tile_program): a block does a tile.
//
// Rule: the fusion says its sizes: frontend_attributes={hilo_tiles="..."} or {hilo_gpu_kernel="tile program
// ..."}, block_level_fusion_config or triton_gemm_config. Sizes that are not legal are an error. What takes
// too much of a block is one where a person chose it; what XLA chose for memory that is laid out otherwise
// goes to the other shapes, and a note says so.
#include <fmt/format.h>

#include "core/analysis/async_op.h"
#include "core/analysis/gpu_kernel_choice.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/compiler/codegen/gpu/block_worker.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

namespace hilo::gpu {
namespace {

Result<ConfiguredTiles> tilesOf(const Instruction& fusion) {
  const auto stated = statedGpuKernel(fusion);
  if (!stated || stated->sizes.empty()) return configuredTiles(fusion);
  TRY(TiledFusion tiled, tiledFusion(fusion, stated->sizes));
  return ConfiguredTiles{.tiled = std::move(tiled)};
}

void noteOtherKernel(const Instruction& fusion, const Diagnostic& why, LoweringContext& context) {
  context.draft.notes.push_back(
      fmt::format("%{} is not compiled by the tiles that XLA chose: {}", fusion.name(), why.message));
}

bool isStated(const Instruction& fusion) {
  return frontendAttribute(fusion, kTilesAttribute) || statedGpuKernel(fusion);
}

}  // namespace

Result<bool> lowerTileProgram(const Instruction& instruction, LoweringContext& context) {
  if (instruction.opcode() != Opcode::Fusion) return false;
  TRY(const auto chosen, tilesOf(instruction));
  if (chosen.whyNot) noteOtherKernel(instruction, *chosen.whyNot, context);
  if (!chosen.tiled) return false;
  const tiles::TileTarget target{
      .write = [&](KernelDraft& draft, const tiles::TileTarget::WriteTile& write) -> Status {
        BlockWorker worker(draft.builder(), context.draft.program.target);
        worker.meet();  // the piece before has been read
        return write(worker, worker.block().piece());
      },
      .iterations = Block::iterations};
  const Status done = tiles::lowerTiledFusion(instruction, *chosen.tiled, target, context);
  if (done) return true;
  const bool isTooLarge = done.error().kind == "too-much-shared-memory" || done.error().kind == "too-large";
  if (!isTooLarge || isStated(instruction)) return std::unexpected(done.error());
  noteOtherKernel(instruction, done.error(), context);
  return false;
}

}  // namespace hilo::gpu
