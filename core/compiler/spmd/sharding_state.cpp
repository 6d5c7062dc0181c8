// As ReturnImprovedShardingImpl and MergeSharding of XLA's hlo/utils/hlo_sharding_util.cc.
#include "core/compiler/spmd/sharding_state.h"

#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

bool isUntiled(const Tiling& tiling) { return tiling.isReplicated() || tiling.isOneDevice; }

std::optional<Tiling> mergedWithMore(const Tiling& a, const Tiling& b) {
  if (isUntiled(a) || isUntiled(b) || a.copies == 1 || b.copies == 1) return std::nullopt;
  auto both = merged(a, b);
  const bool isMore = both && both->tileCount() > std::max(a.tileCount(), b.tileCount());
  return isMore ? both : std::nullopt;
}

}  // namespace

bool saysMore(const Tiling& a, const Tiling& b) {
  if (a.isManual() && isUntiled(b)) return true;
  if (a.isManual() || b.isManual()) return false;
  if (!isUntiled(b)) return a.tileCount() > b.tileCount();
  return !b.isOneDevice && !isUntiled(a);
}

std::optional<Tiling> improved(const Tiling& offer, const Tiling* current, Shape shape, bool mayMerge,
                               bool mayReplace) {
  if (current != nullptr && offer.isManual() && isUntiled(*current)) return offer;
  if (offer.isOneDevice) return std::nullopt;
  if (current == nullptr) return offer;
  if (offer.isManual()) return std::nullopt;
  if (mayMerge) {
    if (auto both = mergedWithMore(offer, *current)) return both;
  }
  if (!saysMore(offer, *current)) return std::nullopt;
  const bool mustFit = !mayReplace && shape.isArray() && !isUntiled(*current);
  return mustFit && !isInside(shape, offer, *current) ? std::nullopt : std::optional(offer);
}

Tiling mergedOrBetter(const Tiling& to, const Tiling& more, bool mayMerge) {
  if (mayMerge) {
    if (auto both = mergedWithMore(to, more)) return *both;
  }
  return saysMore(more, to) ? more : to;
}

}  // namespace hilo
