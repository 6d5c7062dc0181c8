#include "ui/views/passes/lineage_rows.h"

#include "ui/models/text_of.h"

namespace hilo {

std::vector<LineageRow> lineageRows(const SideBySide& both, InstructionId id, bool inAfter) {
  std::vector<LineageRow> rows;
  const Module& own = *(inAfter ? both.right : both.left).module;
  const Module& other = *(inAfter ? both.left : both.right).module;
  const Instruction* instruction = own.instruction(id);
  if (instruction == nullptr || both.lineage == nullptr) return rows;
  const auto add = [&](const Instruction& of, std::string inner) {
    for (const LineageLink& link :
         inAfter ? both.lineage->sourcesOf(of.id()) : both.lineage->targetsOf(of.id())) {
      const Instruction* linked = other.instruction(link.id);
      if (linked != nullptr) rows.push_back({inner, link.tie, link.id, printedLine(*linked)});
    }
  };
  add(*instruction, "");
  if (!holdsWork(*instruction)) return rows;
  for (const Computation* called : instruction->calledComputations()) {
    for (const Instruction* inner : called->instructions()) {
      if (isTracedKind(*inner)) add(*inner, std::string(inner->name()));
    }
  }
  return rows;
}

std::vector<TableColumn<LineageRow>> lineageColumns() {
  return {
      {"inside", [](const LineageRow& r) { return qs(r.inner); }},
      {"by", [](const LineageRow& r) { return qs(lineageTieName(r.tie)); }},
      {"on the other side", [](const LineageRow& r) { return qs(r.text); }},
  };
}

}  // namespace hilo
