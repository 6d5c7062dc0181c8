#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

#include "core/analysis/saturating.h"
#include "core/analysis/tile_program/verify_tile_program.h"
#include "core/base/check.h"
#include "core/compiler/codegen/tiles/rank_rendezvous.h"

namespace hilo::tiles {
namespace {

int64_t costNs(const TiledFusion& fusion, const TileProgram& program) {
  int64_t elements = 0;
  for (const TileOperation& operation : program.operations)
    elements = saturatingAdd(elements, operation.tile.elements());
  return 100 + saturatingMultiply(elements, fusion.count(program));
}

class Lowering {
 public:
  Lowering(const Instruction& instruction, const TiledFusion& fusion, const TileTarget& target,
           LoweringContext& context)
      : instruction_(instruction),
        fusion_(fusion),
        target_(target),
        context_(context),
        results_(context.newLeaves(instruction.shape())) {
    if (fusion.allReduce) rendezvous_.emplace(instruction, *fusion.allReduce, context);
  }

  Status run() {
    for (const TileProgram& program : fusion_.programs) {
      if (fusion_.count(program) > 0) TRY_STATUS(write(program));
    }
    if (rendezvous_) rendezvous_->meet();
    context_.values[&instruction_] = results_;
    return {};
  }

 private:
  Status write(const TileProgram& program) {
    if (program.ranksMeet) rendezvous_->meet();
    const LeafValues tables = program.ranksMeet ? rendezvous_->tables() : LeafValues();
    LeafValues own;
    std::vector<size_t> firsts;
    for (const TileStore& store : program.stores) {
      firsts.push_back(own.size());
      if (store.where == TileStore::Where::Result) {
        own.push_back(results_[store.result]);
      } else {
        std::ranges::copy(rendezvous_->share(), std::back_inserter(own));
      }
    }
    KernelDraft draft(context_, instruction_, own, tables);
    const auto places = placesOf(program, firsts, draft);
    TRY_STATUS(target_.write(draft, [&](TileWorkers& workers, llvm::Value* number) {
      return TileEmitter(draft, fusion_, program, workers, places).write(number);
    }));
    return draft.finish(target_.iterations(fusion_.count(program)), costNs(fusion_, program));
  }

  std::vector<TileEmitter::Result> placesOf(const TileProgram& program, const std::vector<size_t>& firsts,
                                            const KernelDraft& draft) const {
    const auto shapes = arrayLeaves(instruction_.shape());
    std::vector<TileEmitter::Result> places(results_.size() + 1);
    for (size_t i = 0; i < program.stores.size(); ++i) {
      const TileStore& store = program.stores[i];
      const bool isResult = store.where == TileStore::Where::Result;
      places[isResult ? store.result : results_.size()] = {
          draft.resultBuffer(firsts[i]), isResult ? shapes[store.result] : store.instruction->shape()};
    }
    return places;
  }

  const Instruction& instruction_;
  const TiledFusion& fusion_;
  const TileTarget& target_;
  LoweringContext& context_;
  const LeafValues results_;
  std::optional<RankRendezvous> rendezvous_;  // of an all-reduce
};

}  // namespace

Status lowerTiledFusion(const Instruction& instruction, const TiledFusion& fusion, const TileTarget& target,
                        LoweringContext& context) {
  const Status sound = verifyTilePrograms(fusion);
  CHECK(sound.has_value(), toString(sound.error()));
  return Lowering(instruction, fusion, target, context).run();
}

}  // namespace hilo::tiles
