#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

#include "core/analysis/saturating.h"
#include "core/analysis/tile_program/verify_tile_program.h"
#include "core/base/check.h"

namespace hilo::tiles {
namespace {

int64_t costNs(const TiledFusion& fusion, const TileProgram& program) {
  int64_t elements = 0;
  for (const TileOperation& operation : program.operations)
    elements = saturatingAdd(elements, operation.tile.elements());
  return 100 + saturatingMultiply(elements, fusion.count(program));
}

}  // namespace

Status lowerTiledFusion(const Instruction& instruction, const TiledFusion& fusion, const TileTarget& target,
                        LoweringContext& context) {
  const Status sound = verifyTilePrograms(fusion);
  CHECK(sound.has_value(), toString(sound.error()));
  const LeafValues results = context.newLeaves(instruction.shape());
  const auto shapes = arrayLeaves(instruction.shape());
  for (const TileProgram& program : fusion.programs) {
    if (fusion.count(program) == 0) continue;
    LeafValues own;
    for (const TileStore& store : program.stores) own.push_back(results[store.result]);
    KernelDraft draft(context, instruction, own);
    std::vector<TileEmitter::Result> places(results.size());
    for (size_t i = 0; i < program.stores.size(); ++i)
      places[program.stores[i].result] = {draft.resultBuffer(i), shapes[program.stores[i].result]};
    TRY_STATUS(target.write(draft, [&](TileWorkers& workers, llvm::Value* number) {
      return TileEmitter(draft, fusion, program, workers, places).write(number);
    }));
    TRY_STATUS(draft.finish(target.iterations(fusion.count(program)), costNs(fusion, program)));
  }
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo::tiles
