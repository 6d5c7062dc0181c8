// Which instruction of one module is which of another: the ground of every comparison of two modules.
//
// Evidence is taken from the strongest to the weakest, each kind linear in the sizes: instruction ids where
// the modules are snapshots of one run; equal subgraphs (opcode, shape, attributes and everything below),
// parameters being the same by the caller's operands, by a name of their own, or by their shapes in order;
// operands that are matched already; names, where they can be trusted (name_trust.h) and op_names do not
// deny it; users that are matched; op_names; then all of that with other shapes. First within computations
// that are matched to each other, from the entry inwards, then across: an instruction that was inlined, fused
// or outlined keeps its partner. For that, a parameter of a computation with one caller stands for the
// caller's operand, and a call for the root of what it calls. Last, an instruction that took the place of
// another, with its operands and for its users, is that one with another opcode.
//
// (The matchers of XLA's hlo/tools/hlo_diff go the same way from computations to equal subgraphs to what lies
// around them, with similarity scores in the place of the later steps; opcodes always agree there.)
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct ModuleMatching {
  // By id of the side's instruction or computation; invalid where there is no partner.
  std::vector<InstructionId> instructionAfter, instructionBefore;
  std::vector<ComputationId> computationAfter, computationBefore;
  bool namesTrusted = true;

  InstructionId after(const Instruction& before) const { return instructionAfter[before.id().value]; }
  InstructionId before(const Instruction& after) const { return instructionBefore[after.id().value]; }
};

// `sharedIds`: equal ids mean the same instruction (snapshots of one of Hilo's own runs); what is left is
// matched by structure.
ModuleMatching matchModules(const Module& before, const Module& after, bool sharedIds = false);

// Looks through calls and fusions that are the only callers of their computation: a parameter stands for the
// caller's operand, a call or fusion for the root of what it calls.
class ThroughCalls {
 public:
  explicit ThroughCalls(const Module& module);
  const Instruction& resolve(const Instruction& instruction) const;

 private:
  std::vector<const Instruction*> onlyCaller_;  // by computation id; null: none or several
};

}  // namespace hilo
