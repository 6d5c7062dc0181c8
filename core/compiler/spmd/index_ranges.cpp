#include "core/compiler/spmd/index_ranges.h"

namespace hilo {
namespace {

int64_t vectorOf(const Instruction& instruction) {
  return instruction.get<Attr::IndexVectorDim>().value_or(0);
}

bool isCut(const Factor& factor, int64_t tiles) { return factor.counted >= 0 && tiles > 1; }

Instruction* compare(LocalBuilder& builder, Instruction* a, Instruction* b, ComparisonDirection direction) {
  Instruction* made = builder.make(Opcode::Compare, a->shape().withElementType(ElementType::Pred), {a, b});
  made->set<Attr::Direction>(direction);
  return made;
}

// pred: whether an element of the indices stands at this place of its index vector. Null: all do.
Instruction* whereAtPlace(LocalBuilder& builder, Shape indices, int64_t vector, int64_t place) {
  if (vector >= static_cast<int64_t>(indices.rank())) return nullptr;
  const Shape counted = indices.withElementType(ElementType::S32);
  Instruction* places = builder.make(Opcode::Iota, counted, {});
  places->set<Attr::IotaDimension>(vector);
  return compare(builder, places, builder.splat(builder.integer(place), counted), ComparisonDirection::Eq);
}

// The indices of one place, without the dimension of index vectors.
Instruction* indicesAt(LocalBuilder& builder, Instruction* indices, int64_t vector, int64_t place) {
  const Shape shape = indices->shape();
  if (vector >= static_cast<int64_t>(shape.rank())) return indices;
  std::vector<SliceRange> ranges;
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t size : sizes) ranges.push_back({0, size, 1});
  ranges[static_cast<size_t>(vector)] = {place, place + 1, 1};
  sizes[static_cast<size_t>(vector)] = 1;
  Instruction* slice = builder.make(Opcode::Slice, shapeLike(shape, sizes), {indices});
  slice->set<Attr::Slice>(ranges);
  sizes.erase(sizes.begin() + vector);
  return builder.reshape(slice, sizes);
}

// As s64, in which every index and every start of a part has room.
Instruction* wide(LocalBuilder& builder, Instruction* indices) {
  const Shape shape = indices->shape().withElementType(ElementType::S64);
  return indices->shape() == shape ? indices : builder.make(Opcode::Convert, shape, {indices});
}

Instruction* number(LocalBuilder& builder, Shape like, int64_t value) {
  return builder.splat(builder.constant(Literal::scalar(ElementType::S64, value)), like);
}

}  // namespace

void countFromParts(LocalBuilder& builder, const Instruction& instruction, const OpFactors& factors,
                    const Tiling& tiling, std::vector<Part>& operands) {
  const bool isGather = instruction.opcode() == Opcode::Gather;
  Instruction*& indices = operands[isGather ? 1 : operands.size() / 2].local;
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const Factor& factor = factors.factors[f];
    if (!isCut(factor, tiling.tiles[f])) continue;
    const DeviceNumbers starts = tileOfDevice(tiling, f).times(ceilDiv(factor.size, tiling.tiles[f]));
    Instruction* start = wide(builder, builder.byPartition(starts));
    indices = wide(builder, indices);
    const Shape shape = indices->shape();
    Instruction* value = indices;
    if (isGather) {
      Instruction* zero = number(builder, shape, 0);
      value = builder.make(Opcode::Clamp, shape, {zero, value, number(builder, shape, factor.size - 1)});
    }
    value = builder.make(Opcode::Subtract, shape, {value, builder.splat(start, shape)});
    Instruction* atPlace = whereAtPlace(builder, shape, vectorOf(instruction), factor.counted);
    indices = atPlace == nullptr ? value : builder.make(Opcode::Select, shape, {atPlace, value, indices});
  }
}

Instruction* onlyFromHere(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                          const std::vector<Part>& operands, Instruction* gather) {
  const auto offsets = gather->get<Attr::OffsetDims>();
  const int64_t vector = vectorOf(*gather);
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < static_cast<int64_t>(gather->shape().rank()); ++d) {
    if (std::ranges::find(offsets, d) == offsets.end()) batch.push_back(d);
  }
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const Factor& factor = factors.factors[f];
    if (factor.kind != Factor::Kind::Sum || !isCut(factor, tiling.tiles[f])) continue;
    Instruction* picked = indicesAt(builder, operands[1].local, vector, factor.counted);
    const Shape shape = picked->shape();
    Instruction* end = number(builder, shape, ceilDiv(factor.size, tiling.tiles[f]));
    Instruction* low = compare(builder, picked, number(builder, shape, 0), ComparisonDirection::Ge);
    Instruction* high = compare(builder, picked, end, ComparisonDirection::Lt);
    Instruction* isHere = builder.make(Opcode::And, low->shape(), {low, high});
    const Shape result = gather->shape();
    Instruction* mask = builder.make(Opcode::Broadcast, result.withElementType(ElementType::Pred), {isHere});
    mask->set<Attr::Dimensions>(batch);
    gather = builder.make(Opcode::Select, result, {mask, gather, builder.zeros(result)});
  }
  return gather;
}

void widenParts(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                std::vector<Part>& operands) {
  const Shape update = operands[1].local->shape(), had = operands[0].local->shape();
  std::vector<PaddingDimension> padding(had.rank());
  std::vector<int64_t> sizes(had.dimensions().begin(), had.dimensions().end());
  bool isWidened = false;
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const Factor& factor = factors.factors[f];
    if (!isCut(factor, tiling.tiles[f])) continue;
    isWidened = true;
    const auto d = static_cast<size_t>(factor.counted);
    const int64_t size = update.dimension(d);
    padding[d] = {.low = size, .high = size};
    sizes[d] += 2 * size;
    const DeviceNumbers starts = tileOfDevice(tiling, f).times(-had.dimension(d)).plus(size);
    Instruction* start = wide(builder, operands[2 + d].local);
    const Shape scalar = start->shape();
    const auto clamped = [&](Instruction* value, int64_t most) {
      return builder.make(Opcode::Clamp, scalar,
                          {number(builder, scalar, 0), value, number(builder, scalar, most)});
    };
    start = clamped(start, factor.size - size);
    start = builder.make(Opcode::Add, scalar, {start, wide(builder, builder.byPartition(starts))});
    operands[2 + d].local = clamped(start, had.dimension(d) + size);
  }
  if (!isWidened) return;
  for (size_t d = 0; d < had.rank(); ++d) operands[2 + d].local = wide(builder, operands[2 + d].local);
  Instruction* zero = builder.constant(Literal(Shape::scalar(had.elementType())));
  operands[0].local = builder.make(Opcode::Pad, shapeLike(had, sizes), {operands[0].local, zero});
  operands[0].local->set<Attr::Padding>(padding);
}

Instruction* onlyToHere(LocalBuilder& builder, const OpFactors& factors, const Tiling& tiling,
                        Instruction* update) {
  const Shape part = update->shape();
  std::vector<SliceRange> ranges;
  for (int64_t size : part.dimensions()) ranges.push_back({.start = 0, .limit = size, .stride = 1});
  bool isWidened = false;
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const Factor& factor = factors.factors[f];
    if (!isCut(factor, tiling.tiles[f])) continue;
    isWidened = true;
    const auto d = static_cast<size_t>(factor.counted);
    ranges[d].start = update->operand(1)->shape().dimension(d);
    ranges[d].limit += ranges[d].start;
  }
  if (!isWidened) return update;
  update->setShape(update->operand(0)->shape());
  Instruction* slice = builder.make(Opcode::Slice, part, {update});
  slice->set<Attr::Slice>(ranges);
  return slice;
}

}  // namespace hilo
