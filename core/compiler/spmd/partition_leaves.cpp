// Partitions what makes values from nothing.
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

bool isUniform(const Literal& literal) {
  if (literal.isElided() || literal.shape().rank() == 0) return false;
  const auto bytes = literal.bytes();
  const auto size = static_cast<size_t>(elementStorageBytes(literal.shape().elementType()));
  for (size_t i = size; i < bytes.size(); ++i) {
    if (bytes[i] != bytes[i - size]) return false;
  }
  return !bytes.empty();
}

Literal uniformLike(const Literal& literal, Shape shape) {
  Literal result(shape);
  const auto from = literal.bytes();
  const auto to = result.mutableBytes();
  const auto size = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  for (size_t i = 0; i < to.size(); ++i) to[i] = from[i % size];
  return result;
}

}  // namespace

Status keepAsItIs(Partitioner& partitioner, Instruction& instruction) {
  std::vector<Instruction*> locals;
  for (const Instruction* operand : instruction.operands())
    locals.push_back(partitioner.valueOf(operand).local);
  TRY(const Tilings wanted, partitioner.wantedTilings(instruction));
  Instruction* local = partitioner.builder().makeLike(instruction, locals, instruction.shape());
  return partitioner.finish(instruction, Value{local, instruction.shape(), wanted});
}

Status partitionConstant(Partitioner& partitioner, Instruction& constant) {
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings wanted, partitioner.wantedTilings(constant));
  const Shape shape = constant.shape();
  if (shape.isArray() && !wanted[0].isWhole() && isUniform(constant.literal())) {
    Instruction* local = builder.makeLike(constant, {}, localShape(shape, wanted[0]));
    local->set<Attr::Literal>(builder.module().own(uniformLike(constant.literal(), local->shape())));
    return partitioner.finish(constant, Part{local, shape, wanted[0]});
  }
  Tilings whole;
  for (const Tiling& tiling : wanted)
    whole.push_back(tiling.isOneDevice ? tiling : wholeTiling(tiling, tiling.rank()));
  return partitioner.finish(constant, Value{builder.makeLike(constant, {}, shape), shape, whole});
}

Status partitionIota(Partitioner& partitioner, Instruction& iota) {
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings wanted, partitioner.wantedTilings(iota));
  const Tiling& tiling = wanted[0];
  Instruction* local = builder.makeLike(iota, {}, localShape(iota.shape(), tiling));
  const auto dimension = static_cast<size_t>(iota.get<Attr::IotaDimension>().value_or(0));
  if (tiling.rank() > dimension && tiling.tiles[dimension] > 1) {
    Instruction* start =
        builder.byPartition(tileOfDevice(tiling, dimension).times(local->shape().dimension(dimension)));
    const Shape shape = local->shape();
    const ElementType type = shape.elementType();
    // A float is rounded once, from the whole number.
    const ElementType counted = isIntegral(type) ? type : ElementType::S32;
    local->setShape(shape.withElementType(counted));
    if (counted != ElementType::S32)
      start = builder.make(Opcode::Convert, start->shape().withElementType(counted), {start});
    local = builder.make(Opcode::Add, local->shape(), {local, builder.splat(start, local->shape())});
    if (counted != type) local = builder.make(Opcode::Convert, shape, {local});
  }
  return partitioner.finish(iota, Part{local, iota.shape(), tiling});
}

Status partitionRng(Partitioner& partitioner, Instruction& rng) {
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings wanted, partitioner.wantedTilings(rng));
  std::vector<Instruction*> operands;
  for (size_t i = 0; i < rng.operandCount(); ++i) {
    TRY(const Part part, partitioner.operandAs(rng, i, wholeTiling(wanted[0], 0)));
    operands.push_back(part.local);
  }
  const Tiling tiling =
      wanted[0].isOneDevice ? replicatedTiling(wanted[0].rank(), partitioner.partitions()) : wanted[0];
  Instruction* local = builder.makeLike(rng, operands, localShape(rng.shape(), tiling));
  if (tiling.copies > 1) {
    // Copies must be the same numbers: the first device of each part draws them for all.
    Instruction* chosen = builder.make(
        Opcode::Select, local->shape(),
        {builder.whereZero(copyOfDevice(tiling), local->shape()), local, builder.zeros(local->shape())});
    builder.setCause(moveWithin(rng, "draws random numbers that all copies must share"));
    local =
        builder.allReduce(chosen, rng.shape().elementType() == ElementType::Pred ? Opcode::Or : Opcode::Add,
                          DeviceGroups{tiling.devices, tiling.copies});
  }
  return partitioner.finish(rng, Part{local, rng.shape(), tiling});
}

Status partitionPartitionId(Partitioner& partitioner, Instruction& instruction) {
  TRY(const Tilings wanted, partitioner.wantedTilings(instruction));
  if (wanted[0].manual == 1) {
    return refuse(instruction, "spmd-unsupported",
                  fmt::format("{} tells devices apart outside of a manual region", instruction.name()),
                  {"put it between SPMDFullToShardShape and SPMDShardToFullShape"});
  }
  return keepAsItIs(partitioner, instruction);
}

}  // namespace hilo
