#include "core/compiler/spmd/reshard.h"

#include <numeric>

#include "core/compiler/spmd/reshard_steps.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

bool sameTiles(const Tiling& a, const Tiling& b) { return a.tiles == b.tiles && a.copies == b.copies; }

// How many of the tiles of a dimension leave it for another, which gets `most` times as many: 1 for none.
// Part of the tiles only where they divide.
int64_t leavingTiles(const Part& part, size_t dimension, int64_t wants, int64_t most) {
  const int64_t has = part.tiling.tiles[dimension], global = part.global.dimension(dimension);
  if (wants % has == 0) return 1;
  const int64_t size = std::gcd(has % wants == 0 ? has / wants : has, most);
  const bool divides = ceilDiv(global, has) * size == ceilDiv(global, has / size);
  return size == has || (divides && has % wants == 0) ? size : 1;
}

// An all-to-all for each pair of dimensions of which one has too many tiles and the other too few.
Part exchangeAll(LocalBuilder& builder, Part part, const Tiling& target) {
  for (size_t from = 0; from < target.rank(); ++from) {
    for (size_t to = 0; to < target.rank(); ++to) {
      const int64_t lacks = part.tiling.tiles[to], needs = target.tiles[to];
      if (from == to || needs <= lacks || needs % lacks != 0) continue;
      const int64_t size = leavingTiles(part, from, target.tiles[from], needs / lacks);
      if (size > 1) part = exchange(builder, std::move(part), from, to, size);
    }
  }
  return part;
}

// The target where it has more tiles than there are now, whole elsewhere.
Tiling lackingOnly(const Tiling& target, const Tiling& now) {
  std::vector<int64_t> others;
  for (size_t d = 0; d < target.rank(); ++d) {
    if (target.tiles[d] <= now.tiles[d]) others.push_back(static_cast<int64_t>(d));
  }
  return wholeIn(target, others);
}

// Copies become tiles, where there are enough: no communication. On the devices that the target wants
// where that can be.
Part splitCopies(LocalBuilder& builder, Part part, const Tiling& target) {
  const auto best = merged(part.tiling, lackingOnly(target, part.tiling));
  if (best && !(*best == part.tiling) && isInside(part.global, *best, part.tiling))
    return cutOut(builder, part, *best);
  for (size_t d = 0; d < target.rank(); ++d) {
    const int64_t has = part.tiling.tiles[d], needs = target.tiles[d];
    if (needs <= has || needs % has != 0 || part.tiling.copies % (needs / has) != 0) continue;
    part = splitDimension(builder, std::move(part), d, needs / has);
  }
  return part;
}

// The tiles move to where those of the target lie before they are gathered, while they are small.
Part permuteBeforeGather(LocalBuilder& builder, Part part, const Tiling& target) {
  Tiling fine = target, gathered = part.tiling;
  for (size_t d = 0; d < target.rank(); ++d) {
    const int64_t has = part.tiling.tiles[d], wants = target.tiles[d];
    if (has % wants != 0 || fine.copies % (has / wants) != 0) return part;
    if (has == wants) continue;
    fine = splitTiling(fine, d, has / wants);
    gathered = withFewerTiles(gathered, d, has / wants);
  }
  return !(gathered == target) && sameTiles(part.tiling, fine) ? permuteParts(builder, part, fine) : part;
}

// Gathers what the target wants in fewer tiles, the last dimension first; tiles that do not divide all
// together, where the target has no copies.
Part gatherAll(LocalBuilder& builder, Part part, const Tiling& target) {
  part = permuteBeforeGather(builder, std::move(part), target);
  for (size_t d = target.rank(); d-- > 0;) {
    const int64_t has = part.tiling.tiles[d], wants = target.tiles[d];
    if (has == wants || (has < wants && wants % has == 0)) continue;
    const int64_t size = has % wants == 0 ? has / wants : has;
    const int64_t global = part.global.dimension(d);
    const bool divides = ceilDiv(global, has) * size == ceilDiv(global, has / size);
    part = gatherDimension(builder, std::move(part), d, divides || target.copies > 1 ? size : has);
  }
  return part;
}

// Gathers dimensions whose tiles are neither parts nor wholes of the target's.
Part gatherMisfits(LocalBuilder& builder, Part part, const Tiling& target) {
  for (size_t d = target.rank(); d-- > 0;) {
    const int64_t has = part.tiling.tiles[d], wants = target.tiles[d];
    if (has % wants != 0 && wants % has != 0) part = gatherDimension(builder, std::move(part), d, has);
  }
  return part;
}

Part gatherWhole(LocalBuilder& builder, Part part) {
  for (size_t d = part.tiling.rank(); d-- > 0;) {
    if (part.tiling.tiles[d] > 1) part = gatherDimension(builder, std::move(part), d, part.tiling.tiles[d]);
  }
  return part;
}

void remarkFullRematerialization(LocalBuilder& builder, const Part& part, const Tiling& target) {
  MoveRemark move = builder.cause();
  move.from = toString(part.tiling);
  move.to = toString(target);
  builder.remark("full-rematerialization",
                 fmt::format("involuntary full rematerialization of %{} {} from {} to {}", part.local->name(),
                             toString(part.global.withoutLayout()), move.from, move.to),
                 factsOf(move));
}

std::optional<Part> inOneStep(LocalBuilder& builder, const Part& part, const Tiling& target) {
  if (part.tiling == target || part.global.rank() == 0) return Part{part.local, part.global, target};
  if (isInside(part.global, target, part.tiling)) {
    if (part.tiling.tiles == target.tiles) return Part{part.local, part.global, target};
    return cutOut(builder, part, target);
  }
  if (sameTiles(part.tiling, target)) return permuteParts(builder, part, target);
  return std::nullopt;
}

Tiling withoutOwner(const Tiling& tiling) {
  return tiling.isOneDevice ? replicatedTiling(tiling.rank(), static_cast<int64_t>(tiling.devices.size()))
                            : tiling;
}

// Only the first copy has the array, the others zeros: a sum of it.
Part asSum(LocalBuilder& builder, Part part, const Tiling& wanted, const DeviceNumbers& copies) {
  const Shape shape = part.local->shape();
  part.local = builder.make(Opcode::Select, shape,
                            {builder.whereZero(copies, shape), part.local, builder.zeros(shape)});
  part.tiling = wanted;
  return part;
}

// All others get what the one device has: a sum in which theirs are zeros.
Part fromOwner(LocalBuilder& builder, Part part) {
  const Tiling owned = part.tiling;
  part = asSum(builder, std::move(part), withoutOwner(owned), copyOfDevice(owned));
  const Opcode combiner = part.global.elementType() == ElementType::Pred ? Opcode::Or : Opcode::Add;
  part.local = builder.allReduce(part.local, combiner, {part.tiling.devices, part.tiling.copies});
  return part;
}

Part reshardWhole(LocalBuilder& builder, Part part, const Tiling& wanted);

}  // namespace

Part reshard(LocalBuilder& builder, Part part, const Tiling& wanted) {
  if (part.tiling == wanted) return part;
  if (part.tiling.isPartial) {
    part.local = builder.allReduce(part.local, Opcode::Add, {part.tiling.devices, part.tiling.copies});
    part.tiling = summedUp(std::move(part.tiling));
  }
  part = reshardWhole(builder, std::move(part), summedUp(wanted));
  return wanted.isPartial ? asSum(builder, std::move(part), wanted, copyOfDevice(wanted)) : part;
}

namespace {

Part reshardWhole(LocalBuilder& builder, Part part, const Tiling& wanted) {
  const Tiling target = withoutOwner(wanted);
  if (!part.global.isArray()) return {part.local, part.global, wanted};
  if (part.tiling.isOneDevice) part = fromOwner(builder, std::move(part));
  // What all devices hold alike, each manual group does.
  if (part.tiling.manual != target.manual && part.tiling.isReplicated())
    part.tiling = wholeTiling(target, part.tiling.rank());
  if (auto done = inOneStep(builder, part, target)) return {done->local, done->global, wanted};
  const Part before = part;
  part = exchangeAll(builder, std::move(part), target);
  if (auto done = inOneStep(builder, part, target)) return {done->local, done->global, wanted};
  part = splitCopies(builder, std::move(part), target);
  const bool wasWhole = part.tiling.isWhole();
  part = gatherMisfits(builder, std::move(part), target);
  part = exchangeAll(builder, std::move(part), target);
  part = gatherAll(builder, std::move(part), target);
  if (!wasWhole && part.tiling.isWhole() && !target.isWhole())
    remarkFullRematerialization(builder, before, target);
  if (auto done = inOneStep(builder, part, target)) return {done->local, done->global, wanted};
  part = splitCopies(builder, std::move(part), target);
  if (auto done = inOneStep(builder, part, target)) return {done->local, done->global, wanted};
  if (!part.tiling.isWhole()) {
    remarkFullRematerialization(builder, before, target);
    part = gatherWhole(builder, std::move(part));
  }
  auto done = inOneStep(builder, part, target);
  CHECK(done.has_value(),
        fmt::format("{} from {} to {}", toString(part.global), toString(part.tiling), toString(target)));
  return {done->local, done->global, wanted};
}

}  // namespace

int64_t reshardBytes(Shape global, const Tiling& from, const Tiling& to) {
  if (from.isOneDevice && global.isArray() && !(from == to)) return 2 * global.byteSize();
  if (from.isPartial && global.isArray() && !(from == to))
    return 2 * localShape(global, from).byteSize() + reshardBytes(global, summedUp(from), summedUp(to));
  if (to.isPartial) return reshardBytes(global, from, summedUp(to));
  if (!global.isArray() || isInside(global, to, from)) return 0;
  const int64_t held = localShape(global, from).byteSize(), needed = localShape(global, to).byteSize();
  if (sameTiles(from, to)) return held;
  if (from.tileCount() == to.tileCount()) return held + held / 8;  // all-to-all: more pieces than a permute
  return isInside(global, from, to) ? needed - held : needed + held / 4;
}

}  // namespace hilo
