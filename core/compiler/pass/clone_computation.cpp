#include "core/compiler/pass/clone_computation.h"

#include <algorithm>

namespace hilo {

Computation* cloneComputation(const Computation& original, Computation* before) {
  Module& module = original.module();
  Computation* copy =
      module.createComputation(module.uniqueName(fmt::format("{}.clone", original.name())), before);
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* instruction : original.instructions()) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(made.at(operand));
    Instruction* twin = copy->createLike(*instruction, operands);
    if (twin->opcode() == Opcode::Parameter) copy->registerParameter(twin, twin->parameterNumber());
    made[instruction] = twin;
  }
  for (const Instruction* instruction : original.instructions()) {
    std::vector<Instruction*> predecessors;
    for (const Instruction* p : instruction->get<Attr::ControlPredecessors>())
      predecessors.push_back(made.at(p));
    if (!predecessors.empty())
      made.at(instruction)->set<Attr::ControlPredecessors>(std::span<Instruction* const>(predecessors));
  }
  for (const Attribute& attribute : original.attributes().all())
    copy->attributes().append(module.arena(), attribute);
  copy->setRoot(made.at(original.root()));
  return copy;
}

void redirectCall(Instruction& caller, const Computation* from, Computation* to) {
  for (const Attribute& attribute : caller.attributes()) {
    if (attrKind(attribute.key) == AttrKind::Computation && attribute.pointer == from) {
      for (Attribute& mutableAttribute : caller.attributeList().mutableAll()) {
        if (mutableAttribute.key == attribute.key) mutableAttribute.pointer = to;
      }
      return;
    }
    if (attrKind(attribute.key) != AttrKind::ComputationList) continue;
    const auto list = attr_detail::unpack<std::span<Computation* const>>(attribute);
    const auto found = std::ranges::find(list, from);
    if (found == list.end()) continue;
    std::vector<Computation*> changed(list.begin(), list.end());
    changed[static_cast<size_t>(found - list.begin())] = to;
    const auto room = caller.module().arena().copy(std::span<Computation* const>(changed));
    for (Attribute& mutableAttribute : caller.attributeList().mutableAll()) {
      if (mutableAttribute.key == attribute.key) mutableAttribute.pointer = room.data();
    }
    return;
  }
}

Status giveOwnComputations(Instruction& caller) {
  constexpr uint32_t kMaxInstructions = uint32_t{1} << 22;
  const Opcode opcode = caller.opcode();
  if (opcode != Opcode::While && opcode != Opcode::Conditional && opcode != Opcode::Fusion) return {};
  for (Computation* called : caller.calledComputations()) {
    if (called == nullptr) continue;
    if (caller.module().idLimit() > kMaxInstructions) {
      return fail(
          "module-too-large",
          fmt::format("copies of what %{} calls would pass {} instructions", caller.name(), kMaxInstructions),
          {.instruction = std::string(caller.name())});
    }
    Computation* copy = cloneComputation(*called, &caller.parent());
    redirectCall(caller, called, copy);
    for (Instruction* instruction : copy->instructions()) TRY_STATUS(giveOwnComputations(*instruction));
  }
  return {};
}

}  // namespace hilo
