#include "ui/views/tiles/tileable.h"

#include <absl/container/flat_hash_map.h>

namespace hilo {
namespace {

// The fusion that calls each computation, directly or through another computation.
absl::flat_hash_map<const Computation*, const Instruction*> fusionCallers(const Module& module) {
  absl::flat_hash_map<const Computation*, const Instruction*> callers;
  const auto computations = module.computations();
  for (size_t i = computations.size(); i-- > 0;) {  // callers first
    const auto of = callers.find(computations[i]);
    const Instruction* outer = of == callers.end() ? nullptr : of->second;
    for (const Instruction* instruction : computations[i]->instructions()) {
      const bool isFusion = instruction->opcode() == Opcode::Fusion;
      if (outer == nullptr && !isFusion) continue;
      for (const Computation* called : instruction->calledComputations())
        callers.emplace(called, outer != nullptr ? outer : instruction);
    }
  }
  return callers;
}

}  // namespace

std::vector<const Instruction*> fusionsOf(const Module& module) {
  const auto callers = fusionCallers(module);
  std::vector<const Instruction*> fusions;
  for (const Computation* computation : module.computations()) {
    if (callers.contains(computation)) continue;
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::Fusion) fusions.push_back(instruction);
    }
  }
  return fusions;
}

const Instruction& tiledFor(const Module& module, const Instruction& instruction) {
  const auto callers = fusionCallers(module);
  const auto caller = callers.find(&instruction.parent());
  return caller == callers.end() ? instruction : *caller->second;
}

}  // namespace hilo
