// Partitions an operation by its factors: chooses how its loop nest lies over the devices, brings the
// operands there, runs it on parts, and combines partial sums.
#include "core/compiler/spmd/index_ranges.h"
#include "core/compiler/spmd/loop_nest.h"
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tiling_steps.h"
#include "core/compiler/spmd/windows.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

// Sizes that some operations state, as they are of a part.
void makeAttributesLocal(const LoopNest& nest, Instruction& local) {
  const auto resized = [&](size_t operand, std::span<const int64_t> stated) {
    std::vector<int64_t> sizes(stated.begin(), stated.end());
    const Shape part = local.operand(operand)->shape(), whole = nest.operands[operand].global;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == whole.dimension(d)) sizes[d] = part.dimension(d);
    }
    return sizes;
  };
  std::vector<Shape> constraints;
  for (const Shape shape : local.get<Attr::OperandLayoutConstraints>())
    constraints.push_back(shapeLike(shape, local.operand(constraints.size())->shape().dimensions()));
  if (!constraints.empty()) local.set<Attr::OperandLayoutConstraints>(constraints);
  if (local.opcode() == Opcode::DynamicSlice) local.set<Attr::DynamicSliceSizes>(local.shape().dimensions());
  if (local.opcode() == Opcode::Gather)
    local.set<Attr::SliceSizes>(resized(0, local.get<Attr::SliceSizes>()));
  if (local.opcode() != Opcode::Slice) return;
  const auto had = local.get<Attr::Slice>();
  std::vector<SliceRange> ranges(had.begin(), had.end());
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d] == SliceRange{0, nest.operands[0].global.dimension(d), 1})
      ranges[d].limit = local.operand(0)->shape().dimension(d);
  }
  local.set<Attr::Slice>(ranges);
}

void makeGroupsLocal(const LoopNest& nest, const Tiling& tiling, Instruction& local) {
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    if (nest.factors.factors[f].groups == 0 || tiling.tiles[f] == 1) continue;
    const int64_t groups = nest.factors.factors[f].groups / tiling.tiles[f];
    if (local.get<Attr::FeatureGroupCount>().value_or(1) > 1)
      local.set<Attr::FeatureGroupCount>(groups);
    else
      local.set<Attr::BatchGroupCount>(groups);
  }
}

void remarkWhole(Partitioner& partitioner, const LoopNest& nest) {
  const bool isCut =
      std::ranges::any_of(nest.operands, [](const Part& part) { return !part.tiling.isWhole(); });
  if (!nest.factors.factors.empty() || !isCut) return;
  const bool isUpdate = nest.instruction.opcode() == Opcode::DynamicUpdateSlice;
  partitioner.builder().remark(
      "replicated", fmt::format("{} %{} is computed whole on every device: {}", nest.instruction.opcodeText(),
                                nest.instruction.name(),
                                isUpdate ? "its update may lie in parts of several"
                                         : "it has no dimension that could be cut"));
}

bool isInOnePart(const LoopNest& nest, const Factor& factor, int64_t tiles) {
  const auto d = static_cast<size_t>(factor.counted);
  const int64_t length = nest.operands[1].global.dimension(d);
  if (tiles == 1 || length == 1) return true;
  const Instruction* start = nest.instruction.operand(2 + d);
  if (start->opcode() != Opcode::Constant) return false;
  const int64_t begin = integerAt(*start->get<Attr::Literal>(), 0), size = ceilDiv(factor.size, tiles);
  return begin >= 0 && begin / size == (begin + length - 1) / size;
}

// As XLA: an array stays cut along what is updated in part only where all of the update is for one device.
void dropUpdatesOfManyParts(LoopNest& nest) {
  if (nest.instruction.opcode() != Opcode::DynamicUpdateSlice) return;
  const auto isUpdated = [](const Factor& factor) { return factor.counted >= 0; };
  const auto tiles = [&](const Factor& factor) {
    return nest.wanted[0].tiles[static_cast<size_t>(factor.result)];
  };
  bool isCut = false, isForOne = true;
  for (const Factor& factor : nest.factors.factors) {
    if (!isUpdated(factor)) continue;
    isCut |= tiles(factor) > 1;
    isForOne &= isInOnePart(nest, factor, tiles(factor));
  }
  if (!isCut || !isForOne) std::erase_if(nest.factors.factors, isUpdated);
}

Result<LoopNest> nestOf(Partitioner& partitioner, const Instruction& instruction) {
  TRY(Tilings wanted, partitioner.wantedTilings(instruction));
  LoopNest nest{.instruction = instruction,
                .factors = opFactors(instruction),
                .operands = {},
                .wanted = std::move(wanted)};
  const auto isTuple = [](const Instruction* operand) { return operand->shape().isTuple(); };
  if (nest.wanted.empty() || std::ranges::any_of(instruction.operands(), isTuple)) {
    return refuse(instruction, "spmd-unsupported",
                  fmt::format("{} {} takes or gives a tuple that is not looked into",
                              instruction.opcodeText(), instruction.name()));
  }
  for (const Instruction* operand : instruction.operands())
    nest.operands.push_back(partitioner.partOf(operand));
  dropSumsThatCannotBe(nest);
  if (!partitioner.settings().fewestBytes) dropUpdatesOfManyParts(nest);
  return nest;
}

// What is right of the parts of a sum is right of the sum.
bool keepsSums(const LoopNest& nest) {
  const Opcode opcode = nest.instruction.opcode();
  const bool isLinear = opcode == Opcode::Copy || opcode == Opcode::Add || opcode == Opcode::Subtract ||
                        opcode == Opcode::Negate || opcode == Opcode::OptBarrier;
  return isLinear && nest.wanted.size() == 1 && nest.wanted[0].isPartial &&
         std::ranges::all_of(nest.operands, [&](const Part& part) { return part.tiling == nest.wanted[0]; });
}

// What one device computes only that device needs.
Tiling whereNeeded(const LoopNest& nest, Tiling operand) {
  if (!nest.wanted[0].isOneDevice || !operand.isWhole()) return operand;
  Tiling owned = nest.wanted[0];
  owned.tiles = std::move(operand.tiles);
  return owned;
}

// The parts of the sum are what the result is to be.
bool staysUnreduced(const LoopNest& nest, const Tiling& tiling, const Tiling& result) {
  return nest.wanted.size() == 1 && nest.wanted[0].isPartial && nest.factors.combine == Opcode::Add &&
         summedUp(nest.wanted[0]) == result && sumTiles(nest, tiling) == result.copies;
}

}  // namespace

Status partitionByFactors(Partitioner& partitioner, Instruction& instruction) {
  LocalBuilder& builder = partitioner.builder();
  const Opcode opcode = instruction.opcode();
  TRY(const LoopNest nest, nestOf(partitioner, instruction));
  if (keepsSums(nest)) {
    std::vector<Instruction*> locals;
    for (const Part& part : nest.operands) locals.push_back(part.local);
    const Shape shape = localShape(instruction.shape(), nest.wanted[0]);
    return partitioner.finish(
        instruction, Part{builder.makeLike(instruction, locals, shape), instruction.shape(), nest.wanted[0]});
  }
  const Tiling tiling = chooseTiling(nest, partitioner.settings().fewestBytes);
  if (const auto made = windowedDot(builder, nest, tiling, partitioner.settings()))
    return partitioner.finish(instruction, *made);
  std::vector<Part> operands;
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    TRY(Part part, partitioner.operandAs(instruction, i, whereNeeded(nest, nest.operandTiling(tiling, i))));
    operands.push_back(std::move(part));
  }
  remarkWhole(partitioner, nest);
  const bool hasSums = sumTiles(nest, tiling) > 1;
  if (hasSums) prepareSums(builder, nest, tiling, operands);
  takeWindows(builder, nest, tiling, operands);
  if (opcode == Opcode::Gather || opcode == Opcode::Scatter)
    countFromParts(builder, nest.instruction, nest.factors, tiling, operands);
  if (opcode == Opcode::DynamicUpdateSlice) widenParts(builder, nest.factors, tiling, operands);
  std::vector<Instruction*> locals;
  for (const Part& part : operands) locals.push_back(part.local);
  const Tiling result = nest.resultTiling(tiling);
  Tilings results;
  for (const Tiling& leaf : nest.wanted) results.push_back(nest.resultTiling(tiling, leaf.rank()));
  Instruction* local = builder.makeLike(instruction, locals, localShape(instruction.shape(), results));
  makeAttributesLocal(nest, *local);
  makeGroupsLocal(nest, tiling, *local);
  local = makeWindowsLocal(builder, nest, tiling, local);
  if (opcode == Opcode::Gather) local = onlyFromHere(builder, nest.factors, tiling, operands, local);
  if (opcode == Opcode::DynamicUpdateSlice) local = onlyToHere(builder, nest.factors, tiling, local);
  if (hasSums && staysUnreduced(nest, tiling, result)) {
    results[0] = nest.wanted[0];
  } else if (hasSums) {
    builder.setCause(moveWithin(instruction, "sums over a sharded dimension"));
    local = builder.allReduce(local, nest.factors.combine, sumGroups(nest, tiling));
  }
  return partitioner.finish(instruction, Value{local, instruction.shape(), results});
}

}  // namespace hilo
