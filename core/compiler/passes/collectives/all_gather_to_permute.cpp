#include "core/compiler/passes/collectives/all_gather_to_permute.h"

#include <set>

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/collectives/gathered_slice.h"
#include "core/compiler/passes/collectives/own_parts.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// Who sends to whom; nullopt where one would have to send twice, or all take their own.
std::optional<Pairs> pairsOf(const Instruction& slice, const GatheredSlice& gathered) {
  const auto offsets = offsetsOnDevices(slice, gathered.dimension);
  if (!offsets) return std::nullopt;
  Pairs pairs;
  std::set<int64_t> sources;
  bool movesAny = false;
  for (int64_t device = 0; device < static_cast<int64_t>(offsets->size()); ++device) {
    const auto group = groupOf(*gathered.gather, gridOf(slice.module()), device);
    const int64_t offset = (*offsets)[static_cast<size_t>(device)];
    const auto place = static_cast<size_t>(offset / gathered.part);
    if (!group || offset < 0 || offset % gathered.part != 0 || place >= group->size()) return std::nullopt;
    const int64_t source = (*group)[place];
    if (!sources.insert(source).second) return std::nullopt;
    movesAny |= source != device;
    pairs.emplace_back(source, device);
  }
  return movesAny ? std::optional(pairs) : std::nullopt;
}

bool takesAnothers(const Instruction& slice) {
  const auto found = gatheredSlice(slice);
  if (!found || slice.module().replicaCount() != 1 || slice.module().partitionCount() < 2 ||
      slice.shape() != found->gather->operand(0)->shape() || found->part == 0)
    return false;
  const auto mode = groupModeOf(*found->gather);
  return mode && *mode == DeviceGroupMode::FlattenedId && pairsOf(slice, *found);
}

Instruction* permuted(Instruction& slice) {
  const GatheredSlice found = *gatheredSlice(slice);
  Instruction* made =
      slice.parent().create(Opcode::CollectivePermute, slice.shape(), {found.gather->operand(0)}, {}, &slice);
  made->set<Attr::ChannelId>(*found.gather->get<Attr::ChannelId>());
  setPairs(*made, *pairsOf(slice, found));
  setFrontendValue(*made, kGroupKey, collectiveGroupKey(*found.gather));
  return made;
}

}  // namespace

Result<bool> permuteInsteadOfGathering(Module& module, PassContext& context) {
  return rewriteEach(module, context, "permuted", takesAnothers, permuted);
}

}  // namespace hilo
