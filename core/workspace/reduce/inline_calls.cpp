#include "core/compiler/passes/simplify/call_inliner.h"
#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

// Calls within calls grow without end.
constexpr uint32_t kMostIds = 4'000'000;

bool callsOnce(const Instruction& instruction) {
  return (instruction.opcode() == Opcode::Call || instruction.opcode() == Opcode::Fusion) &&
         instruction.calledComputations().size() == 1;
}

}  // namespace

std::vector<MoveSite> inlineSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (callsOnce(*instruction)) sites.push_back({instruction->id()});
    }
  }
  return sites;
}

bool inlineCallsAndFusions(Draft& draft, std::span<const MoveSite> at) {
  bool changed = false;
  for (const MoveSite& site : at) {
    Instruction* call = draft.module->instruction(site.instruction);
    if (call == nullptr || !callsOnce(*call)) continue;
    if (draft.module->idLimit() > kMostIds) return changed;
    inlineCall(*call);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
