#include "core/compiler/spmd/windowed_dot.h"

#include "core/compiler/spmd/local_loop.h"
#include "core/compiler/spmd/reshard_steps.h"

namespace hilo {
namespace {

struct Ring {
  LocalBuilder& builder;
  const LoopNest& nest;
  Tiling tiling;  // whose dimension tells the devices of a ring apart
  size_t dimension = 0;

  int64_t tiles() const { return tiling.tiles[dimension]; }

  // Everyone gets what the next of its ring has.
  Instruction* passOn(Instruction* value) const {
    const std::vector<int64_t> devices = groupsAlong(tiling, dimension, tiles()).devices.list();
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < devices.size(); ++i) {
      const size_t place = i % static_cast<size_t>(tiles());
      const size_t next = i - place + (place + 1) % static_cast<size_t>(tiles());
      pairs.emplace_back(devices[next], devices[i]);
    }
    std::ranges::sort(pairs);
    return builder.permute(value, pairs);
  }

  // (own tile + offset + round) % tiles, times size: s32.
  Instruction* startOf(Instruction* round, int64_t offset, int64_t size) const {
    const Shape scalar = round->shape();
    const auto apply = [&](Opcode opcode, Instruction* value, Instruction* by) {
      return builder.make(opcode, scalar, {value, by});
    };
    Instruction* tile = builder.byPartition(tileOfDevice(tiling, dimension).plus(offset));
    tile = apply(Opcode::Remainder, apply(Opcode::Add, tile, round), builder.integer(tiles()));
    return apply(Opcode::Multiply, tile, builder.integer(size));
  }

  std::vector<Instruction*> startsAt(size_t rank, int64_t along, Instruction* start) const {
    std::vector<Instruction*> starts;
    for (size_t d = 0; d < rank; ++d)
      starts.push_back(static_cast<int64_t>(d) == along ? start : builder.integer(0));
    return starts;
  }

  Instruction* sliceAt(Instruction* array, int64_t along, Instruction* start, int64_t size) const {
    std::vector<int64_t> sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
    sizes[static_cast<size_t>(along)] = size;
    const auto starts = startsAt(sizes.size(), along, start);
    Instruction* cut = builder.make(Opcode::DynamicSlice, shapeLike(array->shape(), sizes), {array});
    for (Instruction* at : starts) cut->appendOperand(at);
    cut->set<Attr::DynamicSliceSizes>(sizes);
    return cut;
  }

  Instruction* dot(Instruction* lhs, Instruction* rhs, Shape shape) const {
    return builder.makeLike(nest.instruction, std::vector{lhs, rhs}, shape);
  }
};

// Along the dimension in as many parts of one size as there are devices in a ring.
Instruction* paddedTo(LocalBuilder& builder, Instruction* array, int64_t along, int64_t size) {
  if (along < 0) return array;
  std::vector<int64_t> sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
  sizes[static_cast<size_t>(along)] = size;
  return builder.padHigh(array, sizes);
}

// The factor that an operand is cut along and that it must be whole in, if that is all it lacks.
std::optional<size_t> gatheredFactor(const LoopNest& nest, const Tiling& tiling, size_t operand) {
  const Tiling& has = nest.operands[operand].tiling;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const int64_t d = nest.factors.factors[f].operands[operand];
    if (d < 0 || tiling.tiles[f] != 1 || has.tiles[static_cast<size_t>(d)] == 1) continue;
    if (wholeIn(has, std::vector{d}) == nest.operandTiling(tiling, operand)) return f;
  }
  return std::nullopt;
}

Part gatherInLoop(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling, size_t operand,
                  size_t f) {
  const Factor& factor = nest.factors.factors[f];
  const Part& moving = nest.operands[operand];
  const auto along = static_cast<size_t>(factor.operands[operand]);
  const int64_t otherAlong = factor.operands[1 - operand];
  const Ring ring{builder, nest, moving.tiling, along};
  const int64_t size = ceilDiv(factor.size, ring.tiles());
  const Tiling result = nest.resultTiling(tiling);
  const Shape exact = localShape(nest.instruction.shape(), result);
  const bool sums = factor.kind == Factor::Kind::Sum;
  std::vector<int64_t> sizes(exact.dimensions().begin(), exact.dimensions().end());
  if (!sums) sizes[static_cast<size_t>(factor.result)] = size * ring.tiles();
  const Shape whole = shapeLike(exact, sizes);
  if (!sums) sizes[static_cast<size_t>(factor.result)] = size;
  MoveRemark move = moveOfOperand(nest.instruction, operand);
  move.what += " goes round in a loop";
  move.from = toString(moving.tiling);
  move.to = toString(nest.operandTiling(tiling, operand));
  builder.setCause(std::move(move));
  std::vector<Part> operands = nest.operands;
  operands[1 - operand] = reshard(builder, operands[1 - operand], nest.operandTiling(tiling, 1 - operand));
  if (sums) maskSums(builder, nest, operands);
  Instruction* stays = paddedTo(builder, operands[1 - operand].local, otherAlong, size * ring.tiles());
  const auto step = [&](Instruction* piece, Instruction* other, Instruction* sum, Instruction* round) {
    Instruction* start = ring.startOf(round, 0, size);
    if (otherAlong >= 0) other = ring.sliceAt(other, otherAlong, start, size);
    Instruction* part = operand == 0 ? ring.dot(piece, other, shapeLike(whole, sizes))
                                     : ring.dot(other, piece, shapeLike(whole, sizes));
    if (sums) return builder.make(Opcode::Add, whole, {sum, part});
    const auto starts = ring.startsAt(whole.rank(), factor.result, start);
    Instruction* update = builder.make(Opcode::DynamicUpdateSlice, whole, {sum, part});
    for (Instruction* at : starts) update->appendOperand(at);
    return update;
  };
  const auto values =
      makeLoop(builder, "windowed_dot_general", "ag", ring.tiles() - 1,
               {operands[operand].local, stays, builder.zeros(whole)},
               [&](std::span<Instruction* const> held, Instruction* round) -> std::vector<Instruction*> {
                 Instruction* next = ring.passOn(held[0]);
                 return {next, held[1], step(held[0], held[1], held[2], round)};
               });
  Instruction* last = builder.integer(ring.tiles() - 1);
  Instruction* made = builder.slice(step(values[0], values[1], values[2], last), exact.dimensions());
  return {made, nest.instruction.shape(), result};
}

// The pass factor that the parts of a sum are to be scattered over, if all else is in place.
std::optional<size_t> scatteredFactor(const LoopNest& nest, const Tiling& tiling, size_t sum) {
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const Factor& factor = nest.factors.factors[f];
    if (factor.kind != Factor::Kind::Pass || tiling.tiles[f] != 1) continue;
    const Tiling moved = exchangedTiling(tiling, sum, f, tiling.tiles[sum]);
    if (nest.resultTiling(moved) == nest.wanted[0]) return f;
  }
  return std::nullopt;
}

Part scatterInLoop(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling, size_t sum, size_t f) {
  const Factor& factor = nest.factors.factors[f];
  const Ring ring{builder, nest, tiling, sum};
  const int64_t size = ceilDiv(factor.size, ring.tiles());
  const Shape shape = localShape(nest.instruction.shape(), nest.wanted[0]);
  const auto step = [&](std::span<Instruction* const> operands, Instruction* round) {
    Instruction* start = ring.startOf(round, 1, size);
    Instruction* sides[2] = {operands[0], operands[1]};
    for (size_t i = 0; i < 2; ++i) {
      if (factor.operands[i] >= 0) sides[i] = ring.sliceAt(sides[i], factor.operands[i], start, size);
    }
    return ring.dot(sides[0], sides[1], shape);
  };
  builder.setCause(
      moveWithin(nest.instruction, "sums over a dimension that is cut: partial results go round in a loop"));
  std::vector<Part> parts = nest.operands;
  maskSums(builder, nest, parts);
  std::vector<Instruction*> operands;
  for (size_t i = 0; i < 2; ++i)
    operands.push_back(paddedTo(builder, parts[i].local, factor.operands[i], size * ring.tiles()));
  Instruction* first = step(operands, builder.integer(0));
  const auto values =
      makeLoop(builder, "windowed_dot_general", "rs", ring.tiles() - 1, {operands[0], operands[1], first},
               [&](std::span<Instruction* const> held, Instruction* round) -> std::vector<Instruction*> {
                 Instruction* number = builder.make(Opcode::Add, round->shape(), {round, builder.integer(1)});
                 Instruction* part = step(held, number);
                 Instruction* had = ring.passOn(held[2]);
                 return {held[0], held[1], builder.make(Opcode::Add, shape, {had, part})};
               });
  return {values[2], nest.instruction.shape(), nest.wanted[0]};
}

// Each device adds the pieces up from its own on: copies of one result would be rounded in different ways.
bool hasCopiesOfSums(const LoopNest& nest, const Tiling& tiling, size_t f) {
  return nest.factors.factors[f].kind == Factor::Kind::Sum && nest.resultTiling(tiling).copies > 1;
}

bool isInPlace(const LoopNest& nest, const Tiling& tiling, size_t operand) {
  return nest.operands[operand].tiling == nest.operandTiling(tiling, operand);
}

bool isForbidden(const Instruction& dot) {
  return std::ranges::any_of(dot.get<Attr::FrontendAttributes>(), [](const FrontendAttribute& attribute) {
    return attribute.name == "_xla_collective_matmul" && attribute.value == "none";
  });
}

bool isLarge(const LoopNest& nest, const Shape& shape, const PartitionSettings& settings) {
  if (settings.windowedLeastBytes < 0) return shape.byteSize() >> 20 >= settings.windowedLeastMib;
  return nest.operands[0].global.byteSize() + nest.operands[1].global.byteSize() >=
         settings.windowedLeastBytes;
}

}  // namespace

std::optional<Part> windowedDot(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                                const PartitionSettings& settings) {
  if (nest.instruction.opcode() != Opcode::Dot || nest.operands.size() != 2 || isForbidden(nest.instruction))
    return std::nullopt;
  const auto isWorth = [&](Shape shape, int64_t tiles) {
    return isLarge(nest, shape, settings) && tiles > 1 && tiles <= settings.windowedMostTrips;
  };
  if (sumTiles(nest, tiling) == 1) {
    for (size_t operand = 0; operand < 2; ++operand) {
      const auto f = gatheredFactor(nest, tiling, operand);
      if (!f || hasCopiesOfSums(nest, tiling, *f)) continue;
      const auto d = static_cast<size_t>(nest.factors.factors[*f].operands[operand]);
      const Shape gathered = localShape(nest.operands[operand].global, nest.operandTiling(tiling, operand));
      if (isWorth(gathered, nest.operands[operand].tiling.tiles[d]))
        return gatherInLoop(builder, nest, tiling, operand, *f);
    }
    return std::nullopt;
  }
  if (!isInPlace(nest, tiling, 0) || !isInPlace(nest, tiling, 1)) return std::nullopt;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const Factor& factor = nest.factors.factors[f];
    if (factor.kind != Factor::Kind::Sum || tiling.tiles[f] != sumTiles(nest, tiling)) continue;
    const auto to = scatteredFactor(nest, tiling, f);
    const Shape result = localShape(nest.instruction.shape(), nest.resultTiling(tiling));
    if (to && isWorth(result, tiling.tiles[f])) return scatterInLoop(builder, nest, tiling, f, *to);
  }
  return std::nullopt;
}

}  // namespace hilo
