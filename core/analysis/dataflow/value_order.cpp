#include "core/analysis/dataflow/value_order.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/dataflow/operand_sharing.h"

namespace hilo {
namespace {

bool isEntryParameter(const HloValue& value) {
  return value.instruction().opcode() == Opcode::Parameter && value.instruction().parent().isEntry();
}
bool isParameterPhi(const HloValue& value) {
  return value.isPhi && value.instruction().opcode() == Opcode::Parameter;
}

}  // namespace

bool isRootOf(const HloValue& value, const Computation& computation) {
  const auto isRoot = [&](const HloPosition& position) { return position.instruction == computation.root(); };
  return std::ranges::any_of(value.positions, isRoot);
}

bool ValueOrder::isDefinedBefore(const HloValue& a, const HloValue& b) {
  if (isEntryParameter(b)) return false;
  if (isEntryParameter(a)) return true;
  const Instruction &first = a.instruction(), &second = b.instruction();
  if (isParameterPhi(a) && !isParameterPhi(b) && order_.isNestedIn(second, first.parent())) return true;
  if (isParameterPhi(b) && order_.isNestedIn(first, second.parent())) return false;
  // What a loop or branch gives back is there when it is over.
  if (b.isPhi && (second.opcode() == Opcode::While || second.opcode() == Opcode::Conditional)) {
    for (const Computation* called : second.calledComputations()) {
      if (order_.isNestedIn(first, *called)) return true;
    }
  }
  return order_.executesBefore(first, second);
}

bool ValueOrder::sharesOwnOperand(const HloUse& use, const HloValue& value) const {
  const Instruction* operand = use.instruction->operand(use.operandNumber);
  ShapeIndex index = use.operandIndex;
  const Instruction& user = value.instruction();
  if (isAsyncLink(*use.instruction)) {
    const Computation* wrapped = asyncWrappedComputation(*use.instruction);
    if (wrapped != nullptr && &user.parent() == wrapped) {
      size_t number = use.operandNumber;
      if (use.instruction->opcode() != Opcode::AsyncStart) {
        if (index.size() < 2) return false;
        number = static_cast<size_t>(index[1]);
        index.erase(index.begin(), index.begin() + 2);
      }
      if (number >= wrapped->parameters().size()) return false;
      operand = wrapped->parameters()[number];
    }
  }
  if (std::ranges::find(user.operands(), operand) == user.operands().end()) return false;
  return canShareOperandBuffer(dataflow_, *operand, index, user, value.index(), backend_);
}

bool ValueOrder::useIsBefore(const HloUse& use, const HloValue& value, bool useBeforeDefinition,
                             bool& escapes) {
  const Instruction &user = *use.instruction, &definition = value.instruction();
  switch (order_.between(user, definition)) {
    case ExecutionConstraint::Same:
      if (useBeforeDefinition || sharesOwnOperand(use, value)) return true;
      break;
    case ExecutionConstraint::ExclusiveAfter:
      if (!escapes) return true;
      break;
    case ExecutionConstraint::ExclusiveBefore:
    case ExecutionConstraint::BeforeStart:
    case ExecutionConstraint::BeforeEnd:
      return true;
    case ExecutionConstraint::After:
      if (useBeforeDefinition && user.opcode() == Opcode::CollectivePermuteDone &&
          user.operand(0) == &definition)
        return true;
      break;
    case ExecutionConstraint::Unordered:
      break;
  }
  // A loop takes its first state in before its body, and its condition's own values, run.
  if (user.opcode() == Opcode::While) {
    if (order_.isNestedIn(definition, *user.get<Attr::Body>())) return true;
    const Computation& condition = *user.get<Attr::Condition>();
    if (order_.isNestedIn(definition, condition)) return &definition == condition.parameters()[0];
  }
  if (definition.opcode() == Opcode::While) {
    for (const Computation* called : definition.calledComputations()) {
      if (order_.isNestedIn(user, *called)) return true;
    }
  }
  if (user.opcode() == Opcode::Call || isAsyncLink(user)) {
    const Computation* called =
        user.opcode() == Opcode::Call ? user.get<Attr::ToApply>() : asyncWrappedComputation(user);
    if (called != nullptr && order_.isNestedIn(definition, *called)) return true;
  }
  if (user.opcode() == Opcode::Conditional) {
    for (const Computation* branch : user.calledComputations()) {
      if (!order_.isNestedIn(definition, *branch)) continue;
      const Instruction& operand = *user.operand(use.operandNumber);
      if (!dataflow_.isDefinedAt(operand)) {
        escapes |= std::ranges::any_of(value.uses, [](const HloUse& u) { return u.instruction->isRoot(); });
      }
      if (!escapes) return true;
    }
    if (&definition == &user) return true;
  }
  return false;
}

bool ValueOrder::usesBeforeDefinition(std::span<const HloUse> uses, const HloValue& value,
                                      bool useBeforeDefinition, const HloUse** blocking) {
  bool escapes = false;
  for (const HloUse& use : uses) {
    if (useIsBefore(use, value, useBeforeDefinition, escapes)) continue;
    if (blocking != nullptr) *blocking = &use;
    return false;
  }
  return true;
}

// A loop fusion may have a parameter that it does not read.
bool ValueOrder::ignoresOperand(const HloValue& value, const HloUse& use) const {
  if (use.instruction->opcode() != Opcode::Fusion) return false;
  if (use.instruction->get<Attr::FusionKindKind>() != FusionKind::Loop) return false;
  for (const HloUse& first : value.uses) {
    if (first.instruction != use.instruction) continue;
    const auto parameters = use.instruction->get<Attr::Calls>()->parameters();
    return dataflow_.uniqueValueAt(*parameters[first.operandNumber], first.operandIndex).uses.empty();
  }
  return false;
}

bool ValueOrder::liveRangeBefore(const HloValue& a, const HloValue& b, bool useBeforeDefinition) {
  if (!isDefinedBefore(a, b) || a.livesOut) return false;
  for (const HloPosition& position : a.positions) {
    if (position.instruction->isRoot() && order_.isNestedIn(b.instruction(), position.instruction->parent()))
      return false;
  }
  std::vector<HloUse> uses;
  for (const HloUse& use : a.uses) {
    if (!ignoresOperand(a, use)) uses.push_back(use);
  }
  return usesBeforeDefinition(uses, b, useBeforeDefinition) && !isRootOf(a, b.instruction().parent());
}

}  // namespace hilo
