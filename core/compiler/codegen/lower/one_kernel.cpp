#include "core/compiler/codegen/lower/one_kernel.h"

#include <absl/container/flat_hash_set.h>

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/op_facts.h"
#include "core/runtime/program/program.h"

namespace hilo {

bool isOfMany(Opcode opcode) {
  return hasFact(opcode, OpFact::Contracts) || opcode == Opcode::Reduce || opcode == Opcode::ReduceWindow;
}

bool isElemental(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::Constant:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::GetDimensionSize:
    case Opcode::GetTupleElement:
    case Opcode::Iota:
    case Opcode::Map:
    case Opcode::Pad:
    case Opcode::Parameter:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    case Opcode::Bitcast:
      // Where elements stay whole.
      return instruction.shape().elementCount() == instruction.operand(0)->shape().elementCount() &&
             elementBits(instruction.shape().elementType()) ==
                 elementBits(instruction.operand(0)->shape().elementType());
    case Opcode::Copy:
      return instruction.shape().isArray();
    case Opcode::Tuple:
      return instruction.isRoot();
    default:
      return isElementwise(instruction.opcode()) || isOfMany(instruction.opcode());
  }
}

namespace {

// Work of one kind may not depend on work of the same kind, which would be done again for every element.
bool repeatsNoWork(const Computation& fused) {
  absl::flat_hash_set<const Instruction*> hasWork;
  const auto outputs = arrayLeaves(fused.root()->shape());
  for (const Instruction* inner : fused.instructions()) {
    const bool below =
        std::ranges::any_of(inner->operands(), [&](const Instruction* o) { return hasWork.contains(o); });
    const bool ofMany = isOfMany(inner->opcode());
    if (ofMany && below) return false;
    if (ofMany && arrayLeaves(inner->shape())[0].elementCount() != outputs[0].elementCount()) return false;
    if (ofMany || below) hasWork.insert(inner);
    if (below && (inner->opcode() == Opcode::Gather || inner->opcode() == Opcode::Concatenate ||
                  inner->opcode() == Opcode::Pad))
      return false;
  }
  return true;
}

}  // namespace

bool canBeOneKernel(const Computation& fused) {
  const auto outputs = arrayLeaves(fused.root()->shape());
  if (outputs.empty()) return false;
  for (const Shape output : outputs) {
    if (!std::ranges::equal(output.dimensions(), outputs[0].dimensions())) return false;
  }
  for (const Instruction* inner : fused.instructions()) {
    if (inner->opcode() == Opcode::Fusion) {
      const Computation& nested = *inner->calledComputations()[0];
      if (inner->shape().isTuple() || !canBeOneKernel(nested) ||
          std::ranges::any_of(nested.instructions(),
                              [](const Instruction* i) { return isOfMany(i->opcode()); }))
        return false;
      if (std::ranges::any_of(inner->operands(), [](const Instruction* o) { return !o->shape().isArray(); }))
        return false;
      continue;
    }
    if (!isElemental(*inner)) return false;
    const bool isTupleParameter = inner->opcode() == Opcode::Parameter && inner->shape().isTuple();
    if (isTupleParameter && std::ranges::any_of(inner->users(), [](const Instruction* user) {
          return user->opcode() != Opcode::GetTupleElement || !user->shape().isArray();
        })) {
      return false;
    }
  }
  return repeatsNoWork(fused);
}

bool isFlat(const Instruction& instruction, Shape root) {
  const auto fits = [&](Shape shape) {
    return !shape.isArray() || shape.rank() == 0 || sameMemoryOrder(shape, root);
  };
  const auto isFlatStep = [&](const Instruction& step) {
    switch (step.opcode()) {
      case Opcode::Broadcast:
        return step.operand(0)->shape().rank() == 0;
      case Opcode::Constant:
      case Opcode::Copy:
      case Opcode::Map:
      case Opcode::Parameter:
      case Opcode::Tuple:
        return true;
      case Opcode::BitcastConvert:
        return elementBits(step.shape().elementType()) == elementBits(step.operand(0)->shape().elementType());
      default:
        return isElementwise(step.opcode());
    }
  };
  const auto check = [&](const Instruction& step) {
    return isFlatStep(step) && fits(step.shape()) &&
           std::ranges::all_of(step.operands(), [&](const Instruction* o) { return fits(o->shape()); });
  };
  if (instruction.opcode() != Opcode::Fusion) return check(instruction);
  return std::ranges::all_of(instruction.calledComputations()[0]->instructions(),
                             [&](const Instruction* step) { return check(*step); });
}

}  // namespace hilo
