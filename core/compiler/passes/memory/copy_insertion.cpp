#include "core/compiler/passes/memory/copy_insertion.h"

#include "core/analysis/async_op.h"
#include "core/analysis/backend.h"
#include "core/compiler/passes/memory/copy_remover.h"
#include "core/compiler/passes/memory/deep_copy.h"
#include "core/compiler/passes/memory/flatten_call_graph.h"
#include "core/compiler/passes/memory/special_copies.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/compiler/passes/simplify/tuple_simplifier.h"

namespace hilo {
namespace {

// Of every copy: why it stays, or that it went.
struct Verdicts {
  CopyReasons added;                                     // what it was added for
  absl::flat_hash_map<InstructionId, std::string> kept;  // what keeps it
  std::vector<Instruction*> elided;                      // that were there before; nothing uses them
  absl::flat_hash_set<InstructionId> instead;            // added in the place of one of these
};

// Tuples that copying built are taken apart again, and what nothing uses goes.
Status cleanUp(Module& module) {
  PassContext unseen;
  TRY_STATUS(simplifyTuples(module, unseen));
  TRY_STATUS(eliminateDeadCode(module, unseen));
  return {};
}

// An elided copy orders nothing any more.
void dropControlEdges(Instruction* copy,
                      absl::flat_hash_map<const Instruction*, std::vector<Instruction*>>& after) {
  copy->erase(Attr::ControlPredecessors);
  for (Instruction* successor : after[copy]) {
    std::vector<Instruction*> left;
    for (Instruction* predecessor : successor->get<Attr::ControlPredecessors>()) {
      if (predecessor != copy) left.push_back(predecessor);
    }
    if (left.empty()) {
      successor->erase(Attr::ControlPredecessors);
    } else {
      successor->set<Attr::ControlPredecessors>(std::span<Instruction* const>(left));
    }
  }
}

std::vector<Instruction*> copiesOf(const Module& module, const CallGraph& calls) {
  std::vector<Instruction*> copies;
  for (const Computation* computation : module.computations()) {
    if (calls.node(*computation).context == CallContext::Embedded) continue;
    for (Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::Copy) copies.push_back(instruction);
    }
  }
  return copies;
}

// A copy that goes may let others go: again until all that is left stays.
Status elideCopies(Module& module, Backend backend, uint32_t firstNew, Verdicts& verdicts,
                   PassContext& context) {
  TRY(const AliasAnalysis aliases, AliasAnalysis::run(module, backend));
  ExecutionOrder execution(module, aliases.dataflow().callGraph());
  ValueOrder order(aliases.dataflow(), execution, backend);
  CopyRemover remover(aliases, order, firstNew);
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> successors;
  for (const Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->instructions()) {
      for (const Instruction* p : instruction->get<Attr::ControlPredecessors>())
        successors[p].push_back(instruction);
    }
  }
  // Of a copy that was there and one added beside it, of which one is needed, the one that was there stays.
  std::vector<Instruction*> left;
  for (const bool added : {true, false}) {
    for (Instruction* copy : copiesOf(module, aliases.dataflow().callGraph())) {
      if ((copy->id().value >= firstNew) == added) left.push_back(copy);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Instruction*> stay;
    for (Instruction* copy : left) {
      if (context.cancelled()) return {};
      // A copy is what is always right: leaving one out is the rewrite, and trying to counts as one.
      std::string reason = hasFrontendAttribute(*copy, "pin_copy", "true") ? "pinned"
                           : !context.mayChange(*copy)                     ? "no fuel is left"
                                                                           : remover.tryElide(*copy);
      if (!reason.empty()) {
        verdicts.kept[copy->id()] = std::move(reason);
        stay.push_back(copy);
        continue;
      }
      changed = true;
      verdicts.kept.erase(copy->id());
      if (copy->id().value < firstNew) verdicts.elided.push_back(copy);
      // The order is asked with the edges the copies brought, as they were when their needs were computed.
      dropControlEdges(copy, successors);
      copy->parent().replaceAllUses(copy, copy->operand(0));
    }
    left = std::move(stay);
  }
  return {};
}

// A copy that went, and for which another of the same value had to come, is one that is kept: as a user of
// the value it takes the other by now.
void tellElided(uint32_t firstNew, Verdicts& verdicts, PassContext& context) {
  for (const Instruction* copy : verdicts.elided) {
    const Instruction& value = *copy->operand(0);
    const auto reason = verdicts.added.find(value.id());
    if (reason != verdicts.added.end() && verdicts.instead.insert(value.id()).second) {
      context.remark(*copy, "kept", reason->second);
    } else {
      context.remark(*copy, "elided",
                     fmt::format("can be {} itself, in one place", nameBefore(value, firstNew)));
    }
  }
}

void tellVerdicts(const Module& module, const CallGraph& calls, uint32_t firstNew, const Verdicts& verdicts,
                  PassContext& context) {
  for (const Instruction* copy : copiesOf(module, calls)) {
    const auto kept = verdicts.kept.find(copy->id());
    const auto added = verdicts.added.find(copy->id());
    const std::string why = kept == verdicts.kept.end() ? "" : kept->second;
    if (copy->id().value < firstNew) {
      if (!why.empty()) context.remark(*copy, why == "pinned" ? "pinned" : "kept", why);
    } else if (added != verdicts.added.end() && !verdicts.instead.contains(copy->id())) {
      context.remark(*copy, "added",
                     fmt::format("copies {}: {}{}{}", nameBefore(*copy->operand(0), firstNew), added->second,
                                 why.empty() ? "" : "; ", why));
    }
  }
}

}  // namespace

Result<bool> insertCopies(Module& module, PassContext& context) {
  const Backend backend = backendOf(module);
  TRY(bool changed, flattenCallGraph(module, context));
  const uint32_t firstNew = module.idLimit();
  const size_t before = module.instructionCount();
  Verdicts verdicts;
  {
    TRY(const AliasAnalysis aliases, AliasAnalysis::run(module, backend));
    addInterferenceCopies(module, aliases, verdicts.added);
  }
  TRY_STATUS(cleanUp(module));
  TRY_STATUS(elideCopies(module, backend, firstNew, verdicts, context));
  {
    TRY(const AliasAnalysis aliases, AliasAnalysis::run(module, backend));
    addSpecialCopies(module, aliases, firstNew, verdicts.added);
  }
  tellElided(firstNew, verdicts, context);
  TRY_STATUS(cleanUp(module));
  TRY(const CallGraph calls, CallGraph::build(module));
  tellVerdicts(module, calls, firstNew, verdicts, context);
  for (const Instruction* copy : copiesOf(module, calls)) changed |= copy->id().value >= firstNew;
  return changed || module.instructionCount() != before;
}

}  // namespace hilo
