// Sums over a dimension that is cut.
#include "core/compiler/spmd/loop_nest.h"

namespace hilo {
namespace {

bool isSum(const Factor& factor) { return factor.kind == Factor::Kind::Sum; }

// Sets what lies beside the array along summed dimensions to a number that does not count.
Instruction* maskBeside(LocalBuilder& builder, const Part& part, size_t dimension, Instruction* neutral) {
  const int64_t size = part.global.dimension(dimension), local = part.local->shape().dimension(dimension);
  std::vector<int64_t> here = tileOfDevice(part.tiling, dimension);
  for (int64_t& tile : here) tile = std::clamp<int64_t>(size - tile * local, 0, local);
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

// 1 on the devices whose place along all summed factors is the first.
std::vector<int64_t> firstOfSum(const LoopNest& nest, const Tiling& tiling) {
  std::vector<int64_t> first(tiling.devices.size(), 1);
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    if (nest.factors.factors[f].kind != Factor::Kind::Sum) continue;
    const auto tile = tileOfDevice(tiling, f);
    for (size_t i = 0; i < first.size(); ++i) first[i] &= tile[i] == 0 ? 1 : 0;
  }
  return first;
}

// Parts of a sum need a neutral number, and one of 8 bits may be out of range where the whole is not.
bool canBeSummedInParts(Shape shape, Opcode combiner) {
  if (!shape.isArray()) return true;
  const bool isNarrow = isFloat(shape.elementType()) && elementBits(shape.elementType()) < 16;
  return !isNarrow && neutralElement(combiner, shape.elementType()).has_value();
}

}  // namespace

DeviceGroups sumGroups(const LoopNest& nest, const Tiling& tiling) {
  std::vector<int64_t> order;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    if (nest.factors.factors[f].kind == Factor::Kind::Sum) order.push_back(static_cast<int64_t>(f));
  }
  // One group for each part of the result and each of its copies before: by place along the summed factors.
  absl::flat_hash_map<std::pair<int64_t, int64_t>, std::vector<int64_t>> members;
  const auto group = groupOfDevice(wholeIn(tiling, order));
  std::vector<int64_t> copy(tiling.devices.size());
  for (size_t i = 0; i < tiling.devices.size(); ++i)
    copy[static_cast<size_t>(tiling.devices[i])] = static_cast<int64_t>(i) % tiling.copies;
  for (int64_t device : tiling.devices)
    members[{group[static_cast<size_t>(device)], copy[static_cast<size_t>(device)]}].push_back(device);
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> sorted(members.begin(), members.end());
  DeviceGroups groups;
  for (auto& [key, devices] : sorted) groups.push_back(std::move(devices));
  return groups;
}

void prepareSums(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                 std::vector<Part>& operands) {
  const Opcode opcode = nest.instruction.opcode();
  auto neutral = neutralElement(nest.factors.combine, leavesOf(nest.instruction.shape())[0].elementType());
  for (const Factor& factor : nest.factors.factors) {
    if (!isSum(factor) || factor.counted >= 0) continue;
    const size_t f = static_cast<size_t>(&factor - nest.factors.factors.data());
    if (tiling.tiles[f] == 1 || !isUneven(factor.size, tiling.tiles[f])) continue;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (factor.operands[i] < 0 || (opcode == Opcode::Scatter && i != 2)) continue;
      const ElementType type = operands[i].global.elementType();
      Instruction* value = builder.constant(*neutralElement(nest.factors.combine, type));
      operands[i].local = maskBeside(builder, operands[i], static_cast<size_t>(factor.operands[i]), value);
    }
  }
  const std::optional<size_t> start = opcode == Opcode::Reduce    ? std::optional<size_t>(1)
                                      : opcode == Opcode::Scatter ? std::optional<size_t>(0)
                                                                  : std::nullopt;
  if (!start || !neutral) return;
  Instruction* original = operands[*start].local;
  Instruction* none = builder.constant(*neutral);
  const Shape shape = original->shape();
  if (shape.rank() > 0) none = builder.splat(none, shape);
  Instruction* isFirst = builder.whereOnDevices(firstOfSum(nest, tiling), shape);
  operands[*start].local = builder.make(Opcode::Select, shape, {isFirst, original, none});
}

void dropSumsThatCannotBe(LoopNest& nest) {
  const auto canTake = [&](const Part& part) {
    return canBeSummedInParts(part.global, nest.factors.combine);
  };
  const Shape result = leavesOf(nest.instruction.shape())[0];
  if (canBeSummedInParts(result, nest.factors.combine) && std::ranges::all_of(nest.operands, canTake)) return;
  std::erase_if(nest.factors.factors, isSum);
}

}  // namespace hilo
