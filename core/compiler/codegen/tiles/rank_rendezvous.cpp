#include "core/compiler/codegen/tiles/rank_rendezvous.h"

#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/ir/module.h"

namespace hilo::tiles {

constexpr int64_t kRendezvousNs = 5'000;

RankRendezvous::RankRendezvous(const Instruction& fusion, const AllReduceKernel& kernel,
                               LoweringContext& context)
    : fusion_(fusion),
      allReduce_(*kernel.instruction),
      context_(context),
      addresses_(context.newLeaf(Shape::array(ElementType::U64, {kernel.ranks}))) {
  auto& all = context.draft.program.collectives;
  collective_ = static_cast<uint32_t>(all.size());
  // Rows are what lies at the addresses.
  all.push_back({.kind = CollectiveKind::AllGather,
                 .mode = *groupModeOf(allReduce_),
                 .channel = allReduce_.get<Attr::ChannelId>().value_or(0),
                 .groups = expandReplicaGroups(*allReduce_.get<Attr::ReplicaGroups>()),
                 .outer = {1},
                 .rowBytes = bufferBytes(allReduce_.operand(0)->shape())});
}

// Nothing else may lie there as long as other ranks may read it: the memory is the all-reduce's to the end.
LeafValues RankRendezvous::share() {
  LeafValues& kept = context_.values[&allReduce_];
  kept.push_back(context_.newLeaf(allReduce_.operand(0)->shape()));
  own_ = context_.newLeaf(Shape::array(ElementType::U64, {1}));
  return {kept.back(), own_};
}

void RankRendezvous::meet() {
  if (own_.slab == nullptr) return;  // there was nothing to share
  met_ = own_;
  CollectiveThunk thunk{.collective = collective_};
  thunk.operands.emplace_back(own_.slab->slice);
  thunk.results.emplace_back(addresses_.slab->slice);
  context_.addThunk(fusion_, std::move(thunk), kRendezvousNs);
}

}  // namespace hilo::tiles
