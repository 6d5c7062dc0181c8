#include "core/compiler/passes/simplify/tuple_simplifier.h"

#include "core/compiler/pass/kept_sharding.h"
#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

bool hasControlDependencies(const Instruction& instruction) {
  return instruction.has(Attr::ControlPredecessors);
}

// The value a get-tuple-element of a tuple names; null when it is of something else.
Instruction* takenApart(const Instruction& element) {
  const Instruction* tuple = element.operand(0);
  if (tuple->opcode() != Opcode::Tuple) return nullptr;
  const int64_t index = element.tupleIndex();
  return index >= 0 && index < static_cast<int64_t>(tuple->operandCount()) ? tuple->operand(index) : nullptr;
}

// The tuple whose elements, all and in order, `tuple` puts together again; null when there is none.
Instruction* putTogether(const Instruction& tuple) {
  Instruction* source = nullptr;
  for (size_t i = 0; i < tuple.operandCount(); ++i) {
    const Instruction* element = tuple.operand(i);
    if (element->opcode() != Opcode::GetTupleElement || element->tupleIndex() != static_cast<int64_t>(i))
      return nullptr;
    if (source != nullptr && element->operand(0) != source) return nullptr;
    source = element->operand(0);
  }
  return source != nullptr && source->shape() == tuple.shape() ? source : nullptr;
}

}  // namespace

Result<bool> simplifyTuples(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled()) return changed;
    for (Instruction* instruction : computation->instructions()) {
      if (hasControlDependencies(*instruction)) continue;
      Instruction* simpler = nullptr;
      if (instruction->opcode() == Opcode::GetTupleElement) simpler = takenApart(*instruction);
      if (instruction->opcode() == Opcode::Tuple) simpler = putTogether(*instruction);
      if (simpler == nullptr || simpler->shape() != instruction->shape()) continue;
      if (instruction->users().empty() && !instruction->isRoot()) continue;
      if (!keepsSharding(*instruction, *simpler)) continue;
      if (!context.mayChange(*instruction)) return changed;
      takeSharding(*instruction, *simpler);
      context.remark(*instruction, "replaced", fmt::format("is %{} again", simpler->name()));
      computation->replaceAllUses(instruction, simpler);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
