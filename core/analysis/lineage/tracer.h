// The steps of traceLineage(); lineage.h says what they are and their order. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include "core/analysis/diff/module_matching.h"
#include "core/analysis/lineage/lineage.h"

namespace hilo {

// By id, whether a computation is run or fused; others are applied to elements and hold no work of their own.
std::vector<bool> computationsWithWork(const Module& module);

class LineageTracer {
 public:
  LineageTracer(const Module& before, const Module& after, ModuleMatching matching);
  Lineage run();

 private:
  using Sources = std::vector<const Instruction*>;

  bool isLookAlike(const Instruction& after, const Instruction& partner) const;
  void traceMatched();
  void traceProvenance();
  void traceByMetadata();
  void traceByName();
  void traceByOperands();
  void traceResult();
  void traceByUse();
  void traceBodies();

  bool isOpen(const Instruction& after) const { return sources_[after.id().value].empty(); }
  void link(const Instruction& after, const Instruction& before, LineageTie tie);
  // Of what has an op_name: all of the module before that have it, or the longest end of it that any has.
  const Sources* ofOpName(const Instruction& after) const;
  Sources mostAlike(const Instruction& after, const Sources& candidates) const;
  int likeness(const Instruction& after, const Instruction& before) const;
  bool isSourceOf(const Instruction& before, const Instruction& after) const;
  // In the place of `after` on what its operands came from; null where nothing is.
  const Instruction* inItsPlace(const Instruction& after) const;
  // As the rest of a fusion or a loop body whose callers are traced.
  void linkAs(const Instruction& after, const Instruction& other, LineageTie tie);
  const Instruction& through(const Instruction& after) const { return throughAfter_.resolve(after); }

  const Module& before_;
  const Module& after_;
  const ModuleMatching matching_;
  const ThroughCalls throughBefore_, throughAfter_;
  std::vector<const Instruction*> callerAfter_;  // by computation id: the last that holds it; null: none
  absl::flat_hash_map<absl::string_view, Sources> byOpName_;
  Lineage::Links sources_;
};

}  // namespace hilo
