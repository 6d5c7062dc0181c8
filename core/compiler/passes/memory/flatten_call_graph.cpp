#include "core/compiler/passes/memory/flatten_call_graph.h"

#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/analysis/well_formed.h"
#include "core/compiler/pass/clone_computation.h"

namespace hilo {
namespace {

// How much a module may grow: nested calls double at every level.
constexpr size_t kMaxInstructions = size_t{1} << 22;

bool isApplied(const Instruction* caller) { return callContextOf(caller->opcode()) == CallContext::Embedded; }

bool wantsOwn(const Instruction* caller, const FlattenRules& rules) {
  return runsWhatItCalls(caller->opcode()) || (rules.copyApplied && isApplied(caller));
}

bool isCall(const Instruction* caller) { return caller->opcode() == Opcode::Call; }

size_t timesCalled(const Instruction& caller, const Computation* callee) {
  return static_cast<size_t>(std::ranges::count(caller.calledComputations(), callee));
}

// Later links of the same chain follow their start.
void redirectChain(Instruction& start, const Computation* from, Computation* to) {
  for (Instruction* user : start.users()) {
    if ((user->opcode() != Opcode::AsyncUpdate && user->opcode() != Opcode::AsyncDone) ||
        user->operand(0) != &start)
      continue;
    redirectCall(*user, from, to);
    redirectChain(*user, from, to);
  }
}

// A fusion of a copy fuses a computation of its own: a fused computation has one caller.
Status giveOwnFusions(const Computation& copy) {
  for (Instruction* instruction : copy.instructions()) {
    if (instruction->opcode() == Opcode::Fusion) TRY_STATUS(giveOwnComputations(*instruction));
  }
  return {};
}

}  // namespace

Result<bool> flattenCallGraph(Module& module, PassContext& context, const FlattenRules& rules) {
  TRY_STATUS(requireWellFormed(module));
  TRY(const CallGraph graph, CallGraph::build(module));
  size_t instructions = module.instructionCount();
  bool changed = false;
  // Callers first: a copy's calls are new callers of what stands below it.
  absl::flat_hash_map<const Computation*, std::vector<Instruction*>> callers;
  const auto collect = [&](const Computation& computation) {
    for (Instruction* instruction : computation.instructions()) {
      absl::flat_hash_set<const Computation*> seen;
      for (const Computation* called : instruction->calledComputations()) {
        if (seen.insert(called).second) callers[called].push_back(instruction);
      }
    }
  };
  for (const Computation* computation : module.computations()) collect(*computation);
  for (Computation* computation : graph.postOrder() | std::views::reverse) {
    if (context.cancelled()) return changed;
    const auto known = callers.find(computation);
    if (known == callers.end()) continue;
    const std::vector<Instruction*> all = known->second;
    if (rules.shareCalls && std::ranges::all_of(all, isCall)) continue;
    const auto isOwnCall = [&](const Instruction* caller) { return wantsOwn(caller, rules); };
    bool taken = !std::ranges::all_of(all, isOwnCall) && std::ranges::any_of(all, isApplied);
    for (Instruction* caller : all | std::views::filter(isOwnCall)) {
      for (size_t times = timesCalled(*caller, computation); times > 0; --times) {
        if (!std::exchange(taken, true)) continue;
        if (instructions + computation->instructionCount() > kMaxInstructions) {
          return fail(
              "module-too-large",
              fmt::format("a copy for each caller would make more than {} instructions", kMaxInstructions));
        }
        const uint32_t limitBefore = module.idLimit();
        Computation* copy = cloneComputation(*computation, computation);
        redirectCall(*caller, computation, copy);
        if (caller->opcode() == Opcode::AsyncStart) redirectChain(*caller, computation, copy);
        TRY_STATUS(giveOwnFusions(*copy));
        instructions += module.idLimit() - limitBefore;
        collect(*copy);
        context.remark(*caller, "cloned",
                       fmt::format("calls %{}, its own copy of %{}", copy->name(), computation->name()));
        changed = true;
      }
    }
  }
  return changed;
}

Result<std::shared_ptr<const Module>> withFlatCalls(std::shared_ptr<const Module> module,
                                                    const CancelToken& cancel) {
  TRY(const CallGraph calls, CallGraph::build(*module));
  if (calls.isFlat()) return module;
  std::shared_ptr<Module> flat = module->clone();
  PassContext context(cancel);
  flat->beginPass("flatten-call-graph");
  TRY_STATUS(flattenCallGraph(*flat, context));
  flat->endPass();
  return flat;
}

}  // namespace hilo
