// Which instruction of one module is which of another: the ground of every comparison of two modules.
//
// Evidence is taken from the strongest to the weakest, each kind linear in the sizes: instruction ids where
// the modules are snapshots of one run; names, where they can be trusted; equal subgraphs (opcode, shape,
// attributes and everything below); operands that are matched already; users that are; and last opcode, shape
// and op_name. First within computations that are matched to each other, then across: an instruction that was
// inlined, fused or outlined keeps its partner. For that, a parameter of a computation with one caller stands
// for the caller's operand, and a call for the root of what it calls.
//
// Names are not trusted when most subgraphs found once on either side have different names there: two
// compilations number their instructions apart, and add.5 of one is not add.5 of the other. (The matchers of
// XLA's hlo/tools/hlo_diff go the same way from equal subgraphs to what lies around them, with similarity
// scores in the place of the last steps.)
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
