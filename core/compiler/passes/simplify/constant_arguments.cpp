#include "core/compiler/passes/simplify/constant_arguments.h"

#include <absl/container/flat_hash_map.h>

namespace hilo {
namespace {

// The calls of each computation that nothing else calls.
using CallsOf = absl::flat_hash_map<Computation*, std::vector<const Instruction*>>;
CallsOf callsOf(const Module& module) {
  CallsOf calls;
  absl::flat_hash_set<const Computation*> others = {module.entry()};
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      for (Computation* called : i->calledComputations()) {
        if (i->opcode() == Opcode::Call) {
          calls[called].push_back(i);
        } else {
          others.insert(called);
        }
      }
    }
  }
  absl::erase_if(calls, [&](const auto& entry) { return others.contains(entry.first); });
  return calls;
}

// The constant that all calls pass; null where they differ.
const Instruction* argumentOfAll(const std::vector<const Instruction*>& calls, size_t number) {
  const Instruction* first = calls.front()->operand(number);
  for (const Instruction* call : calls) {
    const Instruction* argument = call->operand(number);
    const bool isSame = argument->opcode() == Opcode::Constant && !argument->literal().isElided() &&
                        argument->shape() == first->shape() &&
                        (argument == first || argument->literal() == first->literal());
    if (!isSame) return nullptr;
  }
  return first;
}

}  // namespace

bool useConstantArguments(Module& module, PassContext& context) {
  bool changed = false;
  const CallsOf calls = callsOf(module);
  for (Computation* computation : module.computations()) {
    const auto of = calls.find(computation);
    if (of == calls.end()) continue;
    for (Instruction* parameter : computation->parameters()) {
      if (parameter->users().empty() && !parameter->isRoot()) continue;
      const Instruction* argument =
          argumentOfAll(of->second, static_cast<size_t>(parameter->parameterNumber()));
      if (argument == nullptr || argument->shape() != parameter->shape()) continue;
      if (!context.mayChange(*parameter)) return changed;
      context.remark(*parameter, "folded", "every call passes this constant");
      Instruction* constant = computation->createConstant(argument->literal(), parameter->next());
      computation->replaceAllUses(parameter, constant);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
