// Collectives of what every device has alike, and devices' numbers.
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// A broadcast constant: the same on all devices.
Instruction* constantBehind(const Instruction& collective) {
  if (collective.operandCount() != 1 || !collective.shape().isArray()) return nullptr;
  Instruction* scalar = scalarBehind(*collective.operand(0));
  return scalar != nullptr && scalar->opcode() == Opcode::Constant ? scalar : nullptr;
}

// n times the constant, where a group of n devices adds it up; itself where the greatest or least is taken.
Instruction* combinedOverDevices(Instruction& i) {
  Instruction* scalar = constantBehind(i);
  const auto combiner = combinerOf(i);
  const auto devices = groupSizeOf(i);
  if (scalar == nullptr || !combiner || !devices || isComplex(i.shape().elementType())) return nullptr;
  if (*combiner == Opcode::Maximum || *combiner == Opcode::Minimum)
    return madeBroadcast(i, scalar, i.shape());
  const auto value = splatValue(*scalar);
  if (*combiner != Opcode::Add || !value || i.shape().elementType() == ElementType::Pred) return nullptr;
  return makeSplat(i, i.shape(), *value * static_cast<double>(*devices));
}

}  // namespace

Instruction* allGatherOfConstant(Instruction& i) {
  Instruction* scalar = constantBehind(i);
  return scalar == nullptr ? nullptr : madeBroadcast(i, scalar, i.shape());
}
Instruction* allReduceOfConstant(Instruction& i) { return combinedOverDevices(i); }
Instruction* reduceScatterOfConstant(Instruction& i) { return combinedOverDevices(i); }

Instruction* clampOfDeviceNumber(Instruction& i) {
  Instruction* id = i.operand(1);
  const bool isPartition = id->opcode() == Opcode::PartitionId;
  const auto low = splatValue(*i.operand(0)), high = splatValue(*i.operand(2));
  if ((!isPartition && id->opcode() != Opcode::ReplicaId) || !low || !high || *low > 0 ||
      id->shape() != i.shape())
    return nullptr;
  const int64_t devices = isPartition ? i.module().partitionCount() : i.module().replicaCount();
  return static_cast<double>(devices - 1) <= *high ? id : nullptr;
}

}  // namespace hilo::algebra
