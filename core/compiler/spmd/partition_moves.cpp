// Partitions reshapes and reverses: elements move between tiles where these do not divide.
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tile_ranges.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

Status reshapeUnevenly(Partitioner& partitioner, Instruction& reshape, const Tiling& wanted,
                       const UnevenReshape& plan) {
  LocalBuilder& builder = partitioner.builder();
  TRY(Part part, partitioner.operandAs(reshape, 0, plan.source));
  for (const auto& step : plan.before) part = retiled(builder, std::move(part), step.dimension, step.size);
  const Shape exact = localShape(reshape.shape(), wanted);
  std::vector<int64_t> local(exact.dimensions().begin(), exact.dimensions().end());
  std::vector<int64_t> whole(reshape.shape().dimensions().begin(), reshape.shape().dimensions().end());
  for (const auto& step : plan.after) {
    local[step.dimension] = step.size;
    whole[step.dimension] = step.size * wanted.tiles[step.dimension];
  }
  part = {builder.makeLike(reshape, std::vector{part.local}, shapeLike(exact, local)),
          shapeLike(reshape.shape(), whole), wanted};
  for (const auto& step : plan.after)
    part = retiled(builder, std::move(part), step.dimension, exact.dimension(step.dimension));
  part.global = reshape.shape();
  return partitioner.finish(reshape, part);
}

Tiling mirroredAlong(Tiling tiling, std::span<const int64_t> dimensions) {
  for (int64_t d : dimensions) tiling = mirrored(tiling, static_cast<size_t>(d));
  return tiling;
}

}  // namespace

Status partitionReshape(Partitioner& partitioner, Instruction& reshape) {
  LocalBuilder& builder = partitioner.builder();
  const Part operand = partitioner.partOf(reshape.operand(0));
  const Shape from = operand.global, to = reshape.shape();
  TRY(const Tilings wanted, partitioner.wantedTilings(reshape));
  const auto there = [&](const Tiling& tiling) {
    return reshapedInPart(tiling, from.dimensions(), to.dimensions());
  };
  const auto back = [&](const Tiling& tiling) {
    return reshaped(tiling, to.dimensions(), from.dimensions());
  };
  // The operand's tiles go through, or those that the result wants come from some of the operand; else as
  // many as do.
  auto result = reshaped(operand.tiling, from.dimensions(), to.dimensions());
  std::optional<Tiling> source = operand.tiling;
  const auto wantedSource = back(wanted[0]);
  if (!result || (wantedSource && reshardBytes(from, operand.tiling, *wantedSource) <=
                                      reshardBytes(to, *result, wanted[0]))) {
    if (wantedSource && reshaped(*wantedSource, from.dimensions(), to.dimensions()) == wanted[0]) {
      source = wantedSource;
      result = wanted[0];
    }
  }
  if (!result) {
    const auto plan = unevenReshape(wanted[0], from.dimensions(), to.dimensions());
    if (plan && plan->source == operand.tiling)
      return reshapeUnevenly(partitioner, reshape, wanted[0], *plan);
    result = there(operand.tiling);
    source = back(*result);
    if (!source)
      source = wholeTiling(operand.tiling, from.rank()), result = wholeTiling(operand.tiling, to.rank());
  }
  TRY(const Part part, partitioner.operandAs(reshape, 0, *source));
  Instruction* local = builder.makeLike(reshape, std::vector{part.local}, localShape(to, *result));
  return partitioner.finish(reshape, Part{local, to, *result});
}

// The tiles on the devices in the opposite order, and each reversed. What fills up the last tile is then in
// front of the first, so that all tiles are shifted by as much before.
Status partitionReverse(Partitioner& partitioner, Instruction& reverse) {
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings wanted, partitioner.wantedTilings(reverse));
  const Part operand = partitioner.partOf(reverse.operand(0));
  const bool follows = !wanted[0].isWhole() || operand.tiling.isWhole() || operand.tiling.isPartial ||
                       operand.tiling.manual != wanted[0].manual;
  const Tiling result = follows ? summedUp(wanted[0]) : mirroredAlong(operand.tiling, reverse.dimensions());
  TRY(Part part, partitioner.operandAs(reverse, 0, mirroredAlong(result, reverse.dimensions())));
  for (int64_t along : reverse.dimensions()) {
    const auto d = static_cast<size_t>(along);
    const int64_t tiles = result.tiles[d], size = part.global.dimension(d), tile = ceilDiv(size, tiles);
    if (tiles == 1 || tile * tiles == size) continue;
    TileRanges ranges{.starts = {}, .length = tile};
    for (int64_t t = 0; t < tiles; ++t) ranges.starts.push_back(size - (tiles - t) * tile);
    part.local = takeRanges(builder, part, d, ranges, nullptr);
  }
  Instruction* local =
      builder.makeLike(reverse, std::vector{part.local}, localShape(reverse.shape(), result));
  return partitioner.finish(reverse, Part{local, reverse.shape(), result});
}

}  // namespace hilo
