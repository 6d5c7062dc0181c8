#include "core/compiler/spmd/reshard_steps.h"

#include "core/compiler/spmd/tile_ranges.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// The device table with every dimension cut in two: (major, minor) where the minor part of `dimension` is
// `size`. Places: 2 * d and 2 * d + 1, then manual, copies.
struct CutTable {
  std::vector<int64_t> sizes;
  std::vector<size_t> order;
};

CutTable cutTable(const Tiling& tiling, size_t dimension, int64_t size) {
  CutTable table;
  for (size_t d = 0; d < tiling.rank(); ++d) {
    const int64_t minor = d == dimension ? size : 1;
    table.sizes.push_back(tiling.tiles[d] / minor);
    table.sizes.push_back(minor);
  }
  table.sizes.push_back(tiling.manual);
  table.sizes.push_back(tiling.copies);
  for (size_t i = 0; i < table.sizes.size(); ++i) table.order.push_back(i);
  return table;
}

void moveTo(std::vector<size_t>& order, size_t value, size_t before) {
  std::erase(order, value);
  order.insert(before == SIZE_MAX ? order.end() : std::ranges::find(order, before), value);
}

std::vector<int64_t> sizesOf(Shape shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

}  // namespace

DeviceGroups groupsAlong(const Tiling& tiling, size_t dimension, int64_t size) {
  CutTable table = cutTable(tiling, dimension, size);
  moveTo(table.order, 2 * dimension + 1, SIZE_MAX);
  return {tiling.devices.transposed(table.sizes, table.order), size};
}

namespace {

// XLA's ReplicatePartial: most of the tiles of so short a dimension hold nothing, an all-gather would be
// larger than the array.
bool isMostlyEmpty(const Part& part, size_t dimension, int64_t size) {
  const int64_t global = part.global.dimension(dimension), local = part.local->shape().dimension(dimension);
  const bool hasZero = part.global.elementType() != ElementType::F8E8M0FNU;
  return hasZero && size == part.tiling.tiles[dimension] && global > 0 &&
         (global == local || global <= size / 2);
}

// Each device puts its tile into zeros, what is beside the array behind them: a sum of all.
Part sumTiles(LocalBuilder& builder, const Part& part, size_t dimension) {
  const int64_t global = part.global.dimension(dimension), local = part.local->shape().dimension(dimension);
  const int64_t tiles = part.tiling.tiles[dimension];
  std::vector<int64_t> sizes = sizesOf(part.local->shape());
  sizes[dimension] = global + local;
  const Shape wide = shapeLike(part.local->shape(), sizes);
  Instruction* start = builder.byPartition(tileOfDevice(part.tiling, dimension).times(local));
  start = builder.make(Opcode::Minimum, start->shape(), {start, builder.integer(global)});
  Instruction* zero = builder.integer(0);
  Instruction* placed = builder.make(Opcode::DynamicUpdateSlice, wide, {builder.zeros(wide), part.local});
  for (size_t d = 0; d < sizes.size(); ++d) placed->appendOperand(d == dimension ? start : zero);
  sizes[dimension] = global;
  const Opcode combiner = part.global.elementType() == ElementType::Pred ? Opcode::Or : Opcode::Add;
  Instruction* sum =
      builder.allReduce(builder.slice(placed, sizes), combiner, groupsAlong(part.tiling, dimension, tiles));
  return {.local = sum, .global = part.global, .tiling = withFewerTiles(part.tiling, dimension, tiles)};
}

}  // namespace

namespace {

Shape withSize(Shape shape, size_t dimension, int64_t size) {
  std::vector<int64_t> sizes = sizesOf(shape);
  sizes[dimension] = size;
  return shapeLike(shape, sizes);
}

// As long as its tiles are together.
Part padded(Part part, size_t dimension) {
  part.global = withSize(part.global, dimension,
                         part.local->shape().dimension(dimension) * part.tiling.tiles[dimension]);
  return part;
}

// Back to as long as it was, in tiles as a tiling has them.
Part unpadded(LocalBuilder& builder, Part part, size_t dimension, Shape global) {
  const int64_t tiles = part.tiling.tiles[dimension];
  const int64_t size = ceilDiv(global.dimension(dimension), tiles);
  if (tiles > 1) {
    part = retiled(builder, std::move(part), dimension, size);
  } else {
    part.local = builder.slice(part.local, withSize(part.local->shape(), dimension, size).dimensions());
  }
  part.global = withSize(part.global, dimension, global.dimension(dimension));
  return part;
}

}  // namespace

Part gatherDimension(LocalBuilder& builder, Part part, size_t dimension, int64_t size) {
  if (isMostlyEmpty(part, dimension, size)) return sumTiles(builder, part, dimension);
  const Shape global = part.global;
  part = padded(std::move(part), dimension);
  Instruction* gathered = builder.allGather(part.local, static_cast<int64_t>(dimension),
                                            groupsAlong(part.tiling, dimension, size));
  part.tiling = withFewerTiles(part.tiling, dimension, size);
  part.local = gathered;
  return unpadded(builder, std::move(part), dimension, global);
}

Tiling exchangedTiling(const Tiling& tiling, size_t from, size_t to, int64_t size) {
  CutTable table = cutTable(tiling, from, size);
  std::erase(table.order, 2 * from + 1);
  table.order.insert(std::ranges::find(table.order, 2 * to + 1) + 1, 2 * from + 1);
  Tiling result = tiling;
  result.tiles[from] /= size;
  result.tiles[to] *= size;
  result.devices = tiling.devices.transposed(table.sizes, table.order);
  return result;
}

namespace {

// Of dimensions that divide.
Part exchangeEven(LocalBuilder& builder, const Part& part, size_t from, size_t to, int64_t size) {
  Part result{.global = part.global, .tiling = exchangedTiling(part.tiling, from, to, size)};
  // What goes to each of the others becomes a dimension of its own, in front of `to`.
  std::vector<int64_t> sizes = sizesOf(part.local->shape());
  sizes[to] = ceilDiv(part.global.dimension(to), result.tiling.tiles[to]) * size;
  Instruction* local = builder.padHigh(part.local, sizes);
  sizes[to] /= size;
  sizes.insert(sizes.begin() + static_cast<int64_t>(to), size);
  local = builder.allToAll(builder.reshape(local, sizes), static_cast<int64_t>(to),
                           groupsAlong(part.tiling, from, size));
  // Now it says where a piece came from: more major than `from` is here.
  const size_t fromHere = from < to ? from : from + 1;
  std::vector<int64_t> order;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d == to) continue;
    if (d == fromHere) order.push_back(static_cast<int64_t>(to));
    order.push_back(static_cast<int64_t>(d));
  }
  local = builder.transpose(local, order);
  std::vector<int64_t> joined = sizesOf(localShape(part.global, part.tiling));
  joined[to] = sizes[to + 1];
  joined[from] *= size;
  local = builder.reshape(local, joined);
  local->setShape(shapeLike(part.local->shape(), joined));  // in the layout it had
  result.local = builder.slice(local, localShape(part.global, result.tiling).dimensions());
  return result;
}

}  // namespace

Part exchange(LocalBuilder& builder, Part part, size_t from, size_t to, int64_t size) {
  const Shape global = part.global;
  const int64_t tile = ceilDiv(global.dimension(to), part.tiling.tiles[to] * size);
  if (part.tiling.tiles[to] > 1) part = retiled(builder, std::move(part), to, tile * size);
  part = exchangeEven(builder, padded(std::move(part), from), from, to, size);
  part.global = withSize(part.global, to, global.dimension(to));
  return unpadded(builder, std::move(part), from, global);
}

Part splitDimension(LocalBuilder& builder, Part part, size_t dimension, int64_t size) {
  const Shape global = part.global;
  const Tiling split = splitTiling(part.tiling, dimension, size);
  if (!isInside(global, split, part.tiling)) {
    const int64_t tile = ceilDiv(global.dimension(dimension), split.tiles[dimension]);
    part = retiled(builder, std::move(part), dimension, tile * size);
  }
  part = cutOut(builder, part, split);
  part.global = global;
  return part;
}

Part cutOut(LocalBuilder& builder, const Part& part, const Tiling& target) {
  const Shape wanted = localShape(part.global, target);
  std::vector<int64_t> least = sizesOf(part.local->shape());
  std::vector<Instruction*> starts;
  for (size_t d = 0; d < part.global.rank(); ++d) {
    if (target.tiles[d] == part.tiling.tiles[d]) {
      starts.push_back(builder.integer(0));
      continue;
    }
    // A start beside the array is of a part that holds nothing: any elements will do.
    const int64_t size = wanted.dimension(d), had = part.local->shape().dimension(d);
    for (int64_t start = 0; start < part.global.dimension(d); start += std::max<int64_t>(size, 1))
      least[d] = std::max(least[d], start % had + size);
    starts.push_back(builder.byPartition(
        tileOfDevice(target, d).times(size).plus(tileOfDevice(part.tiling, d).times(-had))));
  }
  Instruction* cut = builder.make(Opcode::DynamicSlice, shapeLike(part.local->shape(), wanted.dimensions()),
                                  {builder.padHigh(part.local, least)});
  for (Instruction* start : starts) cut->appendOperand(start);
  cut->set<Attr::DynamicSliceSizes>(wanted.dimensions());
  return {.local = cut, .global = part.global, .tiling = target};
}

Tiling splitTiling(const Tiling& tiling, size_t dimension, int64_t size) {
  Tiling result = tiling;
  std::vector<int64_t> sizes = tiling.tiles;
  sizes.insert(sizes.end(), {tiling.manual, size, tiling.copies / size});
  std::vector<size_t> order;
  for (size_t d = 0; d < tiling.rank(); ++d) {
    order.push_back(d);
    if (d == dimension) order.push_back(tiling.rank() + 1);
  }
  order.insert(order.end(), {tiling.rank(), tiling.rank() + 2});
  result.tiles[dimension] *= size;
  result.copies /= size;
  result.devices = tiling.devices.transposed(sizes, order);
  return result;
}

Part permuteParts(LocalBuilder& builder, const Part& part, const Tiling& target) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  const std::vector<int64_t> from = part.tiling.devices.list(), to = target.devices.list();
  const auto copies = static_cast<int64_t>(target.copies);
  for (int64_t i = 0; i < static_cast<int64_t>(to.size()); i += copies) {
    std::vector<int64_t> sources(from.begin() + i, from.begin() + i + copies);
    std::vector<int64_t> targets(to.begin() + i, to.begin() + i + copies);
    std::erase_if(targets, [&](int64_t device) {
      if (std::erase(sources, device) == 0) return false;
      pairs.emplace_back(device, device);
      return true;
    });
    for (size_t k = 0; k < targets.size(); ++k) pairs.emplace_back(sources[k], targets[k]);
  }
  std::ranges::sort(pairs);
  return {.local = builder.permute(part.local, pairs), .global = part.global, .tiling = target};
}

}  // namespace hilo
