// Partitions an operation by its factors: chooses how its loop nest lies over the devices, brings the
// operands there, runs it on parts, and combines partial sums.
#include "core/compiler/spmd/index_ranges.h"
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// The loop nest of an instruction and where its operands and result are now and should be.
struct Nest {
  const Instruction& instruction;
  OpFactors factors;
  std::vector<Part> operands;
  Tilings wanted;

  size_t resultRank() const {
    const Shape shape = leavesOf(instruction.shape())[0];
    return shape.isArray() ? shape.rank() : 0;
  }
  Tiling operandTiling(const Tiling& nest, size_t operand) const {
    const Shape shape = operands[operand].global;
    return renamed(nest, factorOfDimension(factors, operand, shape.isArray() ? shape.rank() : 0));
  }
  Tiling resultTiling(const Tiling& nest) const {
    return renamed(nest, factorOfResult(factors, resultRank()));
  }
};

int64_t sumTiles(const Nest& nest, const Tiling& tiling) {
  int64_t tiles = 1;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f)
    tiles *= nest.factors.factors[f].kind == Factor::Kind::Sum ? tiling.tiles[f] : 1;
  return tiles;
}

// Estimated bytes that a device receives when the nest lies like this.
double costOf(const Nest& nest, const Tiling& tiling) {
  double bytes = 0;
  for (size_t i = 0; i < nest.operands.size(); ++i)
    bytes += static_cast<double>(
        reshardBytes(nest.operands[i].global, nest.operands[i].tiling, nest.operandTiling(tiling, i)));
  const Tiling result = nest.resultTiling(tiling);
  const auto leaves = leavesOf(nest.instruction.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].isArray() || leaves[i].rank() != result.rank()) continue;
    bytes += static_cast<double>(reshardBytes(leaves[i], result, nest.wanted[i]));
    if (sumTiles(nest, tiling) > 1)
      bytes += 2.0 * static_cast<double>(localShape(leaves[i], result).byteSize());
  }
  return bytes;
}

void consider(std::vector<Tiling>& candidates, const Tiling& candidate) {
  if (std::ranges::find(candidates, candidate) == candidates.end()) candidates.push_back(candidate);
}

// What the result wants comes first and wins where costs are equal; then what each operand has, and what both
// can have at once.
std::vector<Tiling> candidatesOf(const Nest& nest) {
  std::vector<Tiling> candidates;
  const auto toWhole = [](Tiling tiling) {
    return tiling.isOneDevice ? replicatedTiling(tiling.rank(), static_cast<int64_t>(tiling.devices.size()))
                              : tiling;
  };
  consider(candidates, renamed(toWhole(nest.wanted[0]), resultOfFactor(nest.factors)));
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const Tiling& tiling = nest.operands[i].tiling;
    if (!nest.operands[i].global.isArray() || tiling.manual != nest.wanted[0].manual) continue;
    consider(candidates, renamed(toWhole(tiling), dimensionOfFactor(nest.factors, i)));
  }
  const size_t alone = candidates.size();
  for (size_t i = 0; i < alone; ++i) {
    for (size_t j = i + 1; j < alone; ++j) {
      if (const auto both = merged(candidates[i], candidates[j])) consider(candidates, *both);
    }
  }
  return candidates;
}

// Of a product XLA asks first whether one operand lies as the result does: then the other one comes to it,
// even where moving this one would be cheaper.
bool leavesAnOperandInPlace(const Nest& nest, const Tiling& tiling) {
  if (nest.wanted[0].isWhole() || sumTiles(nest, tiling) > 1) return false;
  if (!(nest.resultTiling(tiling) == nest.wanted[0])) return false;
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const Tiling& has = nest.operands[i].tiling;
    if (!has.isWhole() && has == nest.operandTiling(tiling, i)) return true;
  }
  return false;
}

Tiling chooseTiling(const Nest& nest) {
  std::vector<Tiling> candidates = candidatesOf(nest);
  const Opcode opcode = nest.instruction.opcode();
  if (opcode == Opcode::Dot || opcode == Opcode::Convolution) {
    std::vector<Tiling> inPlace;
    std::ranges::copy_if(candidates, std::back_inserter(inPlace),
                         [&](const Tiling& tiling) { return leavesAnOperandInPlace(nest, tiling); });
    if (!inPlace.empty()) candidates = std::move(inPlace);
  }
  size_t best = 0;
  double least = costOf(nest, candidates[0]);
  for (size_t i = 1; i < candidates.size(); ++i) {
    const double cost = costOf(nest, candidates[i]);
    if (cost < least) best = i, least = cost;
  }
  return candidates[best];
}

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

DeviceGroups sumGroups(const Nest& nest, const Tiling& tiling) {
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

// 1 on the devices whose place along all summed factors is the first.
std::vector<int64_t> firstOfSum(const Nest& nest, const Tiling& tiling) {
  std::vector<int64_t> first(tiling.devices.size(), 1);
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    if (nest.factors.factors[f].kind != Factor::Kind::Sum) continue;
    const auto tile = tileOfDevice(tiling, f);
    for (size_t i = 0; i < first.size(); ++i) first[i] &= tile[i] == 0 ? 1 : 0;
  }
  return first;
}

// Sizes that some operations state, as they are of a part.
void makeAttributesLocal(const Nest& nest, Instruction& local) {
  const auto resized = [&](size_t operand, std::span<const int64_t> stated) {
    std::vector<int64_t> sizes(stated.begin(), stated.end());
    const Shape part = local.operand(operand)->shape(), whole = nest.operands[operand].global;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == whole.dimension(d)) sizes[d] = part.dimension(d);
    }
    return sizes;
  };
  if (local.opcode() == Opcode::DynamicSlice) local.set<Attr::DynamicSliceSizes>(local.shape().dimensions());
  if (local.opcode() == Opcode::Gather)
    local.set<Attr::SliceSizes>(resized(0, local.get<Attr::SliceSizes>()));
  if (local.opcode() != Opcode::Slice) return;
  const auto had = local.get<Attr::Slice>();
  std::vector<SliceRange> ranges(had.begin(), had.end());
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (nest.operandTiling(nest.operands[0].tiling, 0).rank() != ranges.size()) continue;
    if (ranges[d] == SliceRange{0, nest.operands[0].global.dimension(d), 1})
      ranges[d].limit = local.operand(0)->shape().dimension(d);
  }
  local.set<Attr::Slice>(ranges);
}

bool isSum(const Factor& factor) { return factor.kind == Factor::Kind::Sum; }

// Operands on parts of summed factors: what lies beside the array is neutral; start values too, except on the
// device with the first part.
Status prepareSums(Partitioner& partitioner, Nest& nest, const Tiling& tiling, std::vector<Part>& operands) {
  LocalBuilder& builder = partitioner.builder();
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
  if (!start || !neutral) return {};
  Instruction* original = operands[*start].local;
  Instruction* none = builder.constant(*neutral);
  const Shape shape = original->shape();
  if (shape.rank() > 0) none = builder.splat(none, shape);
  Instruction* isFirst = builder.whereOnDevices(firstOfSum(nest, tiling), shape);
  operands[*start].local = builder.make(Opcode::Select, shape, {isFirst, original, none});
  return {};
}

// Parts of a sum need a neutral number, and one of 8 bits may be out of range where the whole is not.
bool canBeSummedInParts(Shape shape, Opcode combiner) {
  if (!shape.isArray()) return true;
  const bool isNarrow = isFloat(shape.elementType()) && elementBits(shape.elementType()) < 16;
  return !isNarrow && neutralElement(combiner, shape.elementType()).has_value();
}

void dropSumsThatCannotBe(Nest& nest) {
  const auto canTake = [&](const Part& part) {
    return canBeSummedInParts(part.global, nest.factors.combine);
  };
  const Shape result = leavesOf(nest.instruction.shape())[0];
  if (canBeSummedInParts(result, nest.factors.combine) && std::ranges::all_of(nest.operands, canTake)) return;
  std::erase_if(nest.factors.factors, isSum);
}

void remarkWhole(Partitioner& partitioner, const Nest& nest) {
  const bool isCut =
      std::ranges::any_of(nest.operands, [](const Part& part) { return !part.tiling.isWhole(); });
  if (!nest.factors.factors.empty() || !isCut) return;
  partitioner.builder().remark(
      "replicated",
      fmt::format("{} %{} is computed whole on every device: it has no dimension that could be cut",
                  nest.instruction.opcodeText(), nest.instruction.name()));
}

}  // namespace

Status partitionByFactors(Partitioner& partitioner, Instruction& instruction) {
  LocalBuilder& builder = partitioner.builder();
  const Opcode opcode = instruction.opcode();
  TRY(Tilings wanted, partitioner.wantedTilings(instruction));
  if (wanted.empty())
    return refuse(instruction, "spmd-unsupported", fmt::format("{} is an empty tuple", instruction.name()));
  Nest nest{.instruction = instruction, .factors = opFactors(instruction), .operands = {}, .wanted = wanted};
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().isTuple() || partitioner.valueOf(operand).tilings.size() == 1) {
      nest.operands.push_back(partitioner.partOf(operand));
    } else {
      return refuse(instruction, "spmd-unsupported",
                    fmt::format("{} {} takes a tuple", instruction.opcodeText(), instruction.name()));
    }
  }
  dropSumsThatCannotBe(nest);
  const Tiling tiling = chooseTiling(nest);
  std::vector<Part> operands;
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    TRY(Part part, partitioner.operandAs(instruction, i, nest.operandTiling(tiling, i)));
    operands.push_back(std::move(part));
  }
  remarkWhole(partitioner, nest);
  const bool hasSums = sumTiles(nest, tiling) > 1;
  if (hasSums) TRY_STATUS(prepareSums(partitioner, nest, tiling, operands));
  if (opcode == Opcode::Gather || opcode == Opcode::Scatter)
    countFromParts(builder, nest.instruction, nest.factors, tiling, operands);
  std::vector<Instruction*> locals;
  for (const Part& part : operands) locals.push_back(part.local);
  const Tiling result = nest.resultTiling(tiling);
  Tilings results;
  for (const Tiling& leaf : wanted)
    results.push_back(leaf.rank() == result.rank() ? result : wholeTiling(result, leaf.rank()));
  Instruction* local = builder.makeLike(instruction, locals, localShape(instruction.shape(), results));
  makeAttributesLocal(nest, *local);
  if (opcode == Opcode::Gather) local = onlyFromHere(builder, nest.factors, tiling, operands, local);
  if (hasSums) {
    builder.setCause(fmt::format("%{} sums over a dimension that is cut: partial results are put together",
                                 instruction.name()));
    local = builder.allReduce(local, nest.factors.combine, sumGroups(nest, tiling));
  }
  return partitioner.finish(instruction, Value{local, instruction.shape(), results});
}

}  // namespace hilo
