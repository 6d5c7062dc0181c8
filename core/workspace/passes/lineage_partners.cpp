#include "core/workspace/passes/lineage_partners.h"

#include "core/analysis/lineage/lineage.h"

namespace hilo {
namespace {

template <typename LinksOf>
void addTo(std::vector<uint32_t>& partners, const PrintedModule& side, const PrintedModule& other,
           LinksOf linksOf) {
  for (size_t line = 0; line < side.lineCount() && line < partners.size(); ++line) {
    const InstructionId id = side.lines[line].instruction;
    if (partners[line] != DiffRow::kNoLine || !id.valid()) continue;
    const std::span<const LineageLink> links = linksOf(id);
    const size_t there = links.empty() ? PrintedModule::npos : other.lineOf(links.front().id);
    if (there != PrintedModule::npos) partners[line] = static_cast<uint32_t>(there);
  }
}

}  // namespace

void addLineagePartners(SideBySide& both, const ModuleMatching& matching) {
  const auto lineage =
      std::make_shared<const Lineage>(traceLineage(*both.left.module, *both.right.module, matching));
  addTo(both.leftPartner, both.left, both.right, [&](InstructionId id) { return lineage->targetsOf(id); });
  addTo(both.rightPartner, both.right, both.left, [&](InstructionId id) { return lineage->sourcesOf(id); });
  both.lineage = lineage;
}

}  // namespace hilo
