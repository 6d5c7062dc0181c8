#include <absl/container/flat_hash_set.h>

#include "core/workspace/reduce/moves.h"

namespace hilo {

std::vector<MoveSite> cutOutputsSites(const Module& module) {
  std::vector<MoveSite> sites;
  const Instruction* root = module.entry()->root();
  if (root->opcode() != Opcode::Tuple || root->operandCount() < 2) return sites;
  for (size_t i = 0; i < root->operandCount(); ++i) sites.push_back({root->operand(i)->id()});
  return sites;
}

// A tuple of one result is that result.
bool cutOutputs(Draft& draft, std::span<const MoveSite> at) {
  Computation& entry = *draft.module->entry();
  if (entry.root()->opcode() != Opcode::Tuple) return false;
  absl::flat_hash_set<InstructionId> cut;
  for (const MoveSite& site : at) cut.insert(site.instruction);
  std::vector<Instruction*> kept;
  std::vector<Shape> shapes;
  for (Instruction* result : entry.root()->operands()) {
    if (cut.contains(result->id())) continue;
    kept.push_back(result);
    shapes.push_back(result->shape());
  }
  if (kept.empty() || kept.size() == entry.root()->operandCount()) return false;
  entry.setRoot(kept.size() == 1 ? kept[0] : entry.create(Opcode::Tuple, Shape::tuple(shapes), kept));
  return true;
}

}  // namespace hilo
