// What makes no kernels: instructions whose values are those of others, or are there already.
#include "core/base/check.h"
#include "core/compiler/codegen/lower/lowering.h"

namespace hilo {

// Bound by whoever made the scope.
Status Lowering::lowerParameter(const Instruction&, Scope&) { return {}; }

Status Lowering::lowerAfterAll(const Instruction& instruction, Scope& scope) {
  scope.values[&instruction] = {};
  return {};
}

Status Lowering::lowerConstant(const Instruction& instruction, Scope& scope) {
  scope.values[&instruction] = constantLeaves(instruction.literal());
  return {};
}

Status Lowering::lowerForward(const Instruction& instruction, Scope& scope) {
  const Instruction& operand = *instruction.operand(0);
  scope.values[&instruction] =
      arranged(instruction, valuesOf(operand, scope), operand.shape(), instruction.shape(), scope.sequence);
  return {};
}

// The bytes as they lie.
Status Lowering::lowerBitcast(const Instruction& instruction, Scope& scope) {
  scope.values[&instruction] = LeafValues(valuesOf(*instruction.operand(0), scope));
  return {};
}

// The same bytes between plain orders.
Status Lowering::lowerReshape(const Instruction& instruction, Scope& scope) {
  const auto isPlain = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  const bool isSame = isPlain(from) && isPlain(to) && !from.isDynamic() && !to.isDynamic() &&
                      !readsRealSizes(instruction, scope);
  return isSame ? lowerBitcast(instruction, scope) : lowerElementKernel(instruction, scope);
}

// Of a tuple: the arrays are as good as copies, as values are never changed.
Status Lowering::lowerCopy(const Instruction& instruction, Scope& scope) {
  return instruction.shape().isTuple() ? lowerForward(instruction, scope)
                                       : lowerElementKernel(instruction, scope);
}

Status Lowering::lowerTuple(const Instruction& instruction, Scope& scope) {
  LeafValues all;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    const LeafValues part = arranged(instruction, valuesOf(operand, scope), operand.shape(),
                                     instruction.shape().tupleShapes()[i], scope.sequence);
    all.insert(all.end(), part.begin(), part.end());
  }
  scope.values[&instruction] = std::move(all);
  return {};
}

Status Lowering::lowerGetTupleElement(const Instruction& instruction, Scope& scope) {
  const Instruction& operand = *instruction.operand(0);
  const auto element = static_cast<size_t>(instruction.tupleIndex());
  const LeafValues& all = valuesOf(operand, scope);
  const auto first = all.begin() + static_cast<ptrdiff_t>(firstLeafOf(operand.shape(), element));
  const LeafValues own(first, first + static_cast<ptrdiff_t>(arrayLeaves(instruction.shape()).size()));
  scope.values[&instruction] =
      arranged(instruction, own, operand.shape().tupleShapes()[element], instruction.shape(), scope.sequence);
  return {};
}

Status Lowering::lowerCopyDone(const Instruction& instruction, Scope& scope) {
  const Instruction& started = *instruction.operand(0);
  scope.values[&instruction] =
      arranged(instruction, {valuesOf(started, scope)[0]}, started.shape().tupleShapes()[0],
               instruction.shape(), scope.sequence);
  return {};
}

Status Lowering::lowerDeviceId(const Instruction& instruction, Scope& scope) {
  scope.values[&instruction] = {deviceIdLeaf(instruction.opcode() == Opcode::PartitionId)};
  return {};
}

Status Lowering::lowerCallInstruction(const Instruction& instruction, Scope& scope) {
  return lowerCall(instruction, *instruction.get<Attr::ToApply>(), scope);
}

Status Lowering::lowerTopKInstruction(const Instruction& instruction, Scope& scope) {
  return lowerTopK(instruction, scope, *instruction.get<Attr::K>(),
                   instruction.get<Attr::Largest>().value_or(true));
}

Status Lowering::lowerDynamicUpdateSlice(const Instruction& instruction, Scope& scope) {
  return lowerUpdateInPlace(instruction, instruction, scope);
}

Status Lowering::lowerRandomState(const Instruction& instruction, Scope& scope) {
  const LeafValue before = newLeaf(instruction.shape());
  takeRandomState(instruction, instruction.get<Attr::Delta>().value_or(0), before, scope.sequence);
  scope.values[&instruction] = {before};
  return {};
}

}  // namespace hilo
