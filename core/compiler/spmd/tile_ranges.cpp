#include "core/compiler/spmd/tile_ranges.h"

#include "core/compiler/spmd/tile_pieces.h"

#include <map>
#include <set>

namespace hilo {
namespace {

int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceilDiv(-a, b); }

// Pieces side by side, padded before and behind, hold for each tile its
// range from offsets[tile] on.
struct Plan {
  std::vector<TilePiece> rounds;
  int64_t low = 0, high = 0;
  std::vector<int64_t> offsets;
  int64_t moved = 0;  // elements that a device receives
};

// A dimension in tiles of `part` elements, of which the array has `size`.
struct Along {
  int64_t part = 0, size = 0;
};

// Of tile t the pieces from tile first[t] on, `count` of them. What no tile has is not sent.
Plan planFrom(const std::vector<int64_t>& first, int64_t count, Along along, const TileRanges& ranges) {
  const int64_t part = along.part;
  Plan plan;
  int64_t least = INT64_MAX, most = 0, begin = INT64_MAX, end = 0;
  for (size_t t = 0; t < first.size(); ++t) {
    const int64_t origin = first[t] * part, start = ranges.starts[t], stop = start + ranges.length;
    plan.offsets.push_back(start - origin);
    least = std::min(least, start - origin);
    most = std::max(most, stop - origin);
    if (start >= along.size || stop <= 0) continue;
    begin = std::min(begin, std::max<int64_t>(start, 0) - origin);
    end = std::max(end, std::min(stop, along.size) - origin);
  }
  begin = std::min(begin, part - 1);
  end = std::max(end, begin + 1);
  plan.low = std::max<int64_t>(begin - least, 0);
  plan.high = std::max<int64_t>(most - end, 0);
  for (int64_t& offset : plan.offsets) offset += plan.low - begin;
  for (int64_t i = 0; i < count; ++i) {
    TilePiece round{.sources = first, .begin = std::max<int64_t>(begin - i * part, 0)};
    round.end = std::min(part, end - i * part);
    for (int64_t& source : round.sources) source += i;
    if (!staysInPlace(round)) plan.moved += round.end - round.begin;
    plan.rounds.push_back(std::move(round));
  }
  return plan;
}

int64_t piecesFrom(const std::vector<int64_t>& first, int64_t part, const TileRanges& ranges) {
  int64_t count = 1;
  for (size_t t = 0; t < first.size(); ++t)
    count = std::max(count, floorDiv(ranges.starts[t] + ranges.length - 1, part) - first[t] + 1);
  return count;
}

// By distance every tile takes from the one so many behind; by need each takes what it needs first.
Plan planBorders(Along along, const TileRanges& ranges) {
  const int64_t part = along.part;
  const size_t tiles = ranges.starts.size();
  std::vector<int64_t> needed, distance;
  int64_t least = INT64_MAX;
  for (size_t t = 0; t < tiles; ++t) {
    needed.push_back(floorDiv(ranges.starts[t], part));
    least = std::min(least, needed[t] - static_cast<int64_t>(t));
  }
  for (size_t t = 0; t < tiles; ++t) distance.push_back(static_cast<int64_t>(t) + least);
  Plan plan = planFrom(distance, piecesFrom(distance, part, ranges), along, ranges);
  const bool areDistinct = std::set(needed.begin(), needed.end()).size() == tiles;
  if (!areDistinct) return plan;
  Plan byNeed = planFrom(needed, piecesFrom(needed, part, ranges), along, ranges);
  return byNeed.moved < plan.moved ? byNeed : plan;
}

Along alongOf(const Part& part, size_t dimension) {
  const int64_t size = part.global.dimension(dimension);
  return {.part = ceilDiv(size, part.tiling.tiles[dimension]), .size = size};
}

// The operand without holes: which elements of it.
TileRanges withoutHoles(const TileRanges& ranges) {
  TileRanges plain{.starts = {}, .length = 1};
  for (int64_t start : ranges.starts) {
    plain.starts.push_back(-floorDiv(-start, ranges.dilation));
    const int64_t last = floorDiv(start + ranges.length - 1, ranges.dilation);
    plain.length = std::max(plain.length, last - plain.starts.back() + 1);
  }
  return plain;
}

// Whether ranges come out of all of the array, as in XLA's ExchangeHaloAndGetValidData: where they lie far
// away and are long, and where one is as long as the array and not from the next tile alone.
bool takesAll(int64_t part, const TileRanges& ranges) {
  const auto tiles = static_cast<int64_t>(ranges.starts.size());
  int64_t before = 0, behind = 0, farthest = 0;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t left = t * part - ranges.starts[static_cast<size_t>(t)];
    const int64_t right = ranges.length - part - left;
    if (t > 0) before = std::max(before, left);
    if (t + 1 < tiles) behind = std::max(behind, right);
    farthest = std::max({farthest, left, right});
  }
  if (farthest > 2 * ranges.length) return 2 * ranges.length >= part * tiles;
  return before + behind + part >= part * tiles && (before > part || behind > part);
}

Instruction* dynamicSliceAlong(LocalBuilder& builder, Instruction* array, size_t dimension,
                               Instruction* start, int64_t length) {
  std::vector<int64_t> sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
  sizes[dimension] = length;
  Instruction* zero = builder.integer(0);
  Instruction* made = builder.make(Opcode::DynamicSlice, shapeLike(array->shape(), sizes), {array});
  for (size_t d = 0; d < sizes.size(); ++d) made->appendOperand(d == dimension ? start : zero);
  made->set<Attr::DynamicSliceSizes>(sizes);
  return made;
}

Instruction* padAlong(LocalBuilder& builder, Instruction* array, size_t dimension, PaddingDimension padding,
                      Instruction* value) {
  if (padding == PaddingDimension()) return array;
  std::vector<PaddingDimension> all(array->shape().rank());
  all[dimension] = padding;
  std::vector<int64_t> sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
  int64_t& size = sizes[dimension];
  size += padding.low + padding.high + std::max<int64_t>(size - 1, 0) * padding.interior;
  Instruction* made = builder.make(Opcode::Pad, shapeLike(array->shape(), sizes), {array, value});
  made->set<Attr::Padding>(all);
  return made;
}

Instruction* zeroFor(LocalBuilder& builder, const Part& part) {
  return builder.constant(Literal(Shape::scalar(part.global.elementType())));
}

// Array from values[tile] on, `length` elements.
Instruction* cutAt(LocalBuilder& builder, Instruction* array, size_t dimension, const DeviceNumbers& tile,
                   std::span<const int64_t> values, int64_t length) {
  const bool isSame = std::ranges::all_of(values, [&](int64_t value) { return value == values[0]; });
  if (isSame) return sliceAlong(builder, array, dimension, values[0], values[0] + length);
  return dynamicSliceAlong(builder, array, dimension, byTile(builder, tile, values), length);
}

Instruction* byBorders(LocalBuilder& builder, const Part& part, size_t dimension, const Plan& plan,
                       int64_t length) {
  std::vector<Instruction*> pieces;
  for (const TilePiece& round : plan.rounds) {
    if (round.end > round.begin) pieces.push_back(takePiece(builder, part, dimension, round));
  }
  Instruction* joined = sideBySide(builder, pieces, dimension);
  joined = padAlong(builder, joined, dimension, {.low = plan.low, .high = plan.high}, zeroFor(builder, part));
  return cutAt(builder, joined, dimension, tileOfDevice(part.tiling, dimension), plan.offsets, length);
}

Instruction* byGather(LocalBuilder& builder, const Part& part, size_t dimension, const TileRanges& ranges) {
  const int64_t tiles = part.tiling.tiles[dimension];
  Instruction* whole = builder.allGather(part.local, static_cast<int64_t>(dimension),
                                         groupsAlong(part.tiling, dimension, tiles));
  const auto [least, most] = std::ranges::minmax(ranges.starts);
  const int64_t low = std::max<int64_t>(-least, 0);
  const int64_t high = std::max<int64_t>(most + ranges.length - whole->shape().dimension(dimension), 0);
  whole = padAlong(builder, whole, dimension, {.low = low, .high = high}, zeroFor(builder, part));
  std::vector<int64_t> starts = ranges.starts;
  for (int64_t& start : starts) start += low;
  return cutAt(builder, whole, dimension, tileOfDevice(part.tiling, dimension), starts, ranges.length);
}

// Puts `fill` where an element is none of the array's.
Instruction* fillBeside(LocalBuilder& builder, Instruction* array, const Part& part, size_t dimension,
                        const TileRanges& ranges, Instruction* fill) {
  const int64_t size = part.global.dimension(dimension);
  const auto isInside = [&](int64_t start) { return start >= 0 && start + ranges.length <= size; };
  if (std::ranges::all_of(ranges.starts, isInside)) return array;
  const Shape shape = array->shape().withElementType(ElementType::S32);
  Instruction* place = builder.make(Opcode::Iota, shape, {});
  place->set<Attr::IotaDimension>(static_cast<int64_t>(dimension));
  Instruction* start = byTile(builder, tileOfDevice(part.tiling, dimension), ranges.starts);
  place = builder.make(Opcode::Add, shape, {place, builder.splat(start, shape)});
  const auto compare = [&](int64_t with, ComparisonDirection direction) {
    Instruction* made = builder.make(Opcode::Compare, shape.withElementType(ElementType::Pred),
                                     {place, builder.splat(builder.integer(with), shape)});
    made->set<Attr::Direction>(direction);
    return made;
  };
  Instruction* low = compare(0, ComparisonDirection::Ge);
  Instruction* high = compare(size, ComparisonDirection::Lt);
  Instruction* isData = builder.make(Opcode::And, low->shape(), {low, high});
  return builder.make(Opcode::Select, array->shape(), {isData, array, builder.splat(fill, array->shape())});
}

// Puts holes behind each element; the range of each tile begins in a hole or on an element.
Instruction* withHoles(LocalBuilder& builder, Instruction* array, const Part& part, size_t dimension,
                       const TileRanges& ranges, const TileRanges& plain, Instruction* fill) {
  const int64_t holes = ranges.dilation - 1;
  std::vector<int64_t> starts;
  for (size_t t = 0; t < plain.starts.size(); ++t)
    starts.push_back(holes - (plain.starts[t] * ranges.dilation - ranges.starts[t]));
  const int64_t most = *std::ranges::max_element(starts);
  const int64_t dilated = holes + (plain.length - 1) * ranges.dilation + 1;
  const int64_t high = std::max<int64_t>(most + ranges.length - dilated, 0);
  array = padAlong(builder, array, dimension, {.low = holes, .high = high, .interior = holes}, fill);
  return cutAt(builder, array, dimension, tileOfDevice(part.tiling, dimension), starts, ranges.length);
}

}  // namespace

Instruction* byTile(LocalBuilder& builder, const DeviceNumbers& tile, std::span<const int64_t> values) {
  const int64_t step = values.size() > 1 ? values[1] - values[0] : 0;
  bool isEven = true;
  for (size_t t = 0; t < values.size(); ++t)
    isEven &= values[t] == values[0] + static_cast<int64_t>(t) * step;
  if (isEven) return builder.byPartition(tile.times(step).plus(values[0]));
  std::vector<int64_t> listed = tile.list();
  for (int64_t& number : listed) number = values[static_cast<size_t>(number)];
  return builder.byPartition(DeviceNumbers(std::move(listed)));
}

int64_t rangeBytes(const Part& part, size_t dimension, const TileRanges& ranges) {
  const Along along = alongOf(part, dimension);
  const int64_t size = along.part, tiles = part.tiling.tiles[dimension];
  const Plan plan = planBorders(along, withoutHoles(ranges));
  const int64_t moved = takesAll(size, withoutHoles(ranges)) ? size * (tiles - 1) : plan.moved;
  return size == 0 ? 0 : localShape(part.global, part.tiling).byteSize() / size * moved;
}

Instruction* takeRanges(LocalBuilder& builder, const Part& part, size_t dimension, const TileRanges& ranges,
                        Instruction* fill) {
  const TileRanges plain = withoutHoles(ranges);
  const Along along = alongOf(part, dimension);
  Instruction* array = takesAll(along.part, plain)
                           ? byGather(builder, part, dimension, plain)
                           : byBorders(builder, part, dimension, planBorders(along, plain), plain.length);
  if (fill == nullptr) return array;
  array = fillBeside(builder, array, part, dimension, plain, fill);
  return ranges.dilation == 1 ? array : withHoles(builder, array, part, dimension, ranges, plain, fill);
}

Part retiled(LocalBuilder& builder, Part part, size_t dimension, int64_t size) {
  const int64_t tiles = part.tiling.tiles[dimension];
  TileRanges ranges{.starts = {}, .length = size};
  for (int64_t t = 0; t < tiles; ++t) ranges.starts.push_back(t * size);
  if (part.local->shape().dimension(dimension) != size)
    part.local = takeRanges(builder, part, dimension, ranges, nullptr);
  std::vector<int64_t> sizes(part.global.dimensions().begin(), part.global.dimensions().end());
  sizes[dimension] = tiles * size;
  part.global = shapeLike(part.global, sizes);
  return part;
}

}  // namespace hilo
