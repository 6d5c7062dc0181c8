#include "core/analysis/extract.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

bool isUnread(const Instruction& parameter) { return parameter.users().empty() && !parameter.isRoot(); }

}  // namespace

// One site: the entry is written anew without all of them, and its instructions get other ids.
std::vector<MoveSite> removeParametersSites(const Module& module) {
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (isUnread(*parameter)) return {{parameter->id()}};
  }
  return {};
}

bool removeParameters(Draft& draft, std::span<const MoveSite>) {
  const Module& module = *draft.module;
  std::vector<InstructionId> kept;
  std::vector<Literal> arguments;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (instruction->opcode() == Opcode::Parameter && isUnread(*instruction)) continue;
    kept.push_back(instruction->id());
    // They are numbered in the order in which they stand.
    if (instruction->opcode() == Opcode::Parameter && draft.hasValues)
      arguments.push_back(draft.arguments[static_cast<size_t>(instruction->parameterNumber())]);
  }
  auto made = extractModule(module, kept);
  if (!made) return false;
  (*made)->setName(module.name());
  (*made)->entry()->setName(module.entry()->name());
  if (module.isScheduled()) (*made)->set<Attr::IsScheduled>(true);
  draft.module = *std::move(made);
  draft.arguments = std::move(arguments);
  draft.values = nullptr;
  return true;
}

}  // namespace hilo
