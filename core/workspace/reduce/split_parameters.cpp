#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

bool canSplit(const Instruction& parameter) {
  return parameter.shape().isTuple() && isValueShape(parameter.shape()) && !parameter.users().empty();
}

}  // namespace

std::vector<MoveSite> splitParametersSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (canSplit(*parameter)) sites.push_back({parameter->id()});
  }
  return sites;
}

bool splitParameters(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* parameter = draft.module->instruction(site.instruction);
    if (parameter == nullptr || !canSplit(*parameter)) continue;
    splitParameter(draft, *parameter);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
