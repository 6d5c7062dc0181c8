#include "core/analysis/lineage/lineage.h"

#include "core/analysis/diff/subgraph_fingerprints.h"
#include "core/analysis/lineage/tracer.h"
#include "core/base/enum_table.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
std::vector<bool> computationsWithWork(const Module& module) {
  std::vector<bool> counted(computationIdLimit(module), false);
  if (module.entry() != nullptr) counted[module.entry()->id().value] = true;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!holdsWork(*instruction)) continue;
      for (const Computation* called : instruction->calledComputations()) counted[called->id().value] = true;
    }
  }
  return counted;
}

std::string_view lineageTieName(LineageTie tie) {
  static constexpr EnumTable<LineageTie, std::string_view> kNames(
      {"same", "provenance", "metadata", "name", "place", "body", "use"});
  return kNames[tie];
}

bool isTracedKind(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const OpcodeClass kind = opcodeClass(opcode);
  return kind != OpcodeClass::Leaf && kind != OpcodeClass::Tuple && kind != OpcodeClass::Ordering &&
         !hasFact(opcode, OpFact::NoTraffic) && !hasFact(opcode, OpFact::RenamesBytes);
}

bool holdsWork(const Instruction& caller) {
  return caller.opcode() == Opcode::Fusion || hasFact(caller.opcode(), OpFact::Calls);
}

Lineage traceLineage(const Module& before, const Module& after, bool sharedIds) {
  return LineageTracer(before, after, matchModules(before, after, sharedIds)).run();
}

Lineage traceLineage(const Module& before, const Module& after, const ModuleMatching& matching) {
  return LineageTracer(before, after, matching).run();
}

LineageShare lineageShare(const Module& after, const Lineage& lineage) {
  LineageShare share;
  const std::vector<bool> counted = computationsWithWork(after);
  for (const Computation* computation : after.computations()) {
    if (!counted[computation->id().value]) continue;
    for (const Instruction* instruction : computation->instructions()) {
      if (!isTracedKind(*instruction)) continue;
      ++share.instructions;
      const auto sources = lineage.sourcesOf(instruction->id());
      if (sources.empty()) continue;
      ++share.traced;
      ++share.byTie[static_cast<size_t>(sources.front().tie)];
    }
  }
  return share;
}

}  // namespace hilo
