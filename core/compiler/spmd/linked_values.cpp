#include "core/compiler/spmd/linked_values.h"

namespace hilo {

LinkedValues::LinkedValues(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) add(instruction);
  }
}

void LinkedValues::add(const Instruction* caller) {
  std::vector<const Instruction*> set = {caller};
  if (caller->opcode() == Opcode::While) {
    const Computation* body = caller->get<Attr::Body>();
    set.insert(set.end(),
               {body->root(), body->parameters()[0], caller->get<Attr::Condition>()->parameters()[0]});
  } else if (caller->opcode() == Opcode::Conditional || caller->opcode() == Opcode::Call) {
    for (const Computation* callee : caller->calledComputations()) set.push_back(callee->root());
  } else {
    return;
  }
  for (const Computation* callee : caller->calledComputations()) callers_[callee] = caller;
  for (const Instruction* member : set) setsOf_[member].push_back(sets_.size());
  sets_.push_back(std::move(set));
}

const Instruction* LinkedValues::callerOf(const Computation* computation) const {
  const auto found = callers_.find(computation);
  return found == callers_.end() ? nullptr : found->second;
}

const Instruction* LinkedValues::operandOf(const Instruction* parameter) const {
  if (parameter->opcode() != Opcode::Parameter) return nullptr;
  const Instruction* caller = callerOf(&parameter->parent());
  if (caller == nullptr || caller->opcode() == Opcode::While) return nullptr;
  if (caller->opcode() == Opcode::Call)
    return caller->operand(static_cast<size_t>(parameter->parameterNumber()));
  const auto branches = caller->calledComputations();
  const auto found = std::ranges::find(branches, &parameter->parent());
  return found == branches.end() ? nullptr
                                 : caller->operand(static_cast<size_t>(found - branches.begin()) + 1);
}

std::vector<const Instruction*> LinkedValues::linkedTo(const Instruction* instruction) const {
  std::vector<const Instruction*> linked;
  const auto found = setsOf_.find(instruction);
  if (found != setsOf_.end()) {
    for (size_t set : found->second) {
      for (const Instruction* member : sets_[set]) {
        if (member != instruction) linked.push_back(member);
      }
    }
  }
  if (const Instruction* operand = operandOf(instruction)) linked.push_back(operand);
  return linked;
}

}  // namespace hilo
