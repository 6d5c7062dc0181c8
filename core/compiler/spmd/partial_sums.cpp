// Sums over a dimension that is cut.
#include "core/compiler/spmd/loop_nest.h"

namespace hilo {
namespace {

bool isSum(const Factor& factor) { return factor.kind == Factor::Kind::Sum; }

// Sets what lies beside the array along summed dimensions to a number that does not count.
Instruction* maskBeside(LocalBuilder& builder, const Part& part, size_t dimension, Instruction* neutral) {
  const int64_t size = part.global.dimension(dimension), local = part.local->shape().dimension(dimension);
  const DeviceNumbers here = tileOfDevice(part.tiling, dimension).times(-local).plus(size);
  const Shape shape = part.local->shape().withElementType(ElementType::S32);
  Instruction* place = builder.make(Opcode::Iota, shape, {});
  place->set<Attr::IotaDimension>(static_cast<int64_t>(dimension));
  Instruction* limit = builder.splat(builder.byPartition(here), shape);
  Instruction* isData =
      builder.make(Opcode::Compare, shape.withElementType(ElementType::Pred), {place, limit});
  isData->set<Attr::Direction>(ComparisonDirection::Lt);
  return builder.make(Opcode::Select, part.local->shape(),
                      {isData, part.local, builder.splat(neutral, part.local->shape())});
}

// 0 on the devices whose place along all summed factors is the first.
DeviceNumbers placeInSum(const LoopNest& nest, const Tiling& tiling) {
  DeviceNumbers place(static_cast<int64_t>(tiling.devices.size()), {});
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    if (isSum(nest.factors.factors[f])) place = place.plus(tileOfDevice(tiling, f));
  }
  return place;
}

// Parts of a sum need a neutral number, and one of 8 bits may be out of range where the whole is not.
bool canBeSummedInParts(Shape shape, Opcode combiner) {
  if (!shape.isArray()) return true;
  const bool isNarrow = isFloat(shape.elementType()) && elementBits(shape.elementType()) < 16;
  return !isNarrow && neutralElement(combiner, shape.elementType()).has_value();
}

}  // namespace

DeviceGroups sumGroups(const LoopNest& nest, const Tiling& tiling) {
  // One group for each part of the result and each of its copies: by place along the summed factors.
  std::vector<size_t> order, summed;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f)
    (isSum(nest.factors.factors[f]) ? summed : order).push_back(f);
  order.insert(order.end(), {tiling.rank(), tiling.rank() + 1});
  order.insert(order.end(), summed.begin(), summed.end());
  return {tiling.devices.transposed(tableSizes(tiling), order), sumTiles(nest, tiling)};
}

void maskSums(LocalBuilder& builder, const LoopNest& nest, std::vector<Part>& operands) {
  const Opcode opcode = nest.instruction.opcode();
  for (const Factor& factor : nest.factors.factors) {
    if (!isSum(factor) || factor.counted >= 0) continue;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (factor.operands[i] < 0 || (opcode == Opcode::Scatter && i != 2)) continue;
      if (factor.window >= 0 && i == 0) continue;  // filled where its ranges are taken
      const auto d = static_cast<size_t>(factor.operands[i]);
      if (!isUneven(factor.size, operands[i].tiling.tiles[d])) continue;
      const ElementType type = operands[i].global.elementType();
      Instruction* value = builder.constant(*neutralElement(nest.factors.combine, type));
      operands[i].local = maskBeside(builder, operands[i], d, value);
    }
  }
}

void prepareSums(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands) {
  const Opcode opcode = nest.instruction.opcode();
  auto neutral = neutralElement(nest.factors.combine, leavesOf(nest.instruction.shape())[0].elementType());
  maskSums(builder, nest, operands);
  const std::optional<size_t> start = opcode == Opcode::Reduce    ? std::optional<size_t>(1)
                                      : opcode == Opcode::Scatter ? std::optional<size_t>(0)
                                                                  : std::nullopt;
  if (!start || !neutral) return;
  Instruction* original = operands[*start].local;
  Instruction* none = builder.constant(*neutral);
  const Shape shape = original->shape();
  if (shape.rank() > 0) none = builder.splat(none, shape);
  Instruction* isFirst = builder.whereZero(placeInSum(nest, tiling), shape);
  operands[*start].local = builder.make(Opcode::Select, shape, {isFirst, original, none});
}

void dropSumsThatCannotBe(LoopNest& nest) {
  const auto canTake = [&](const Part& part) {
    return canBeSummedInParts(part.global, nest.factors.combine);
  };
  const Shape result = leavesOf(nest.instruction.shape())[0];
  if (nest.factors.canCombine && canBeSummedInParts(result, nest.factors.combine) &&
      std::ranges::all_of(nest.operands, canTake))
    return;
  std::erase_if(nest.factors.factors, isSum);
}

}  // namespace hilo
