#include "core/workspace/memory/peak_comparison.h"

#include <algorithm>

#include "core/analysis/instruction_card.h"

namespace hilo {
namespace {

std::string nameAtPeak(const MemoryPlans& plans, const MemoryProfile& profile) {
  const auto step = static_cast<size_t>(profile.peakStep);
  if (step >= plans.sequence.size()) return "the end";
  return std::string(plans.module->instruction(plans.sequence[step])->name());
}

PeakRow rowOf(const MemoryPlans& plans, const PlacedValue& value) {
  const Instruction& instruction = *plans.module->instruction(value.instruction);
  return {.instruction = value.instruction,
          .name = value.name,
          .opcode = std::string(instruction.opcodeText()),
          .opName = std::string(instruction.opName()),
          .source = sourcePlace(instruction)};
}

std::vector<PeakRow> rowsOf(const MemoryPlans& plans, const MemoryProfile& profile,
                            const std::vector<PeakOnly>& only, int64_t PeakRow::* bytes) {
  std::vector<PeakRow> rows;
  for (const PeakOnly& each : only) {
    PeakRow& row = rows.emplace_back(rowOf(plans, profile.values[each.value]));
    row.*bytes = each.bytes;
    row.why = peakAbsenceName(each.absence);
  }
  return rows;
}

PeakComparison compare(std::string plan, const MemoryPlans& a, const MemoryProfile& profileA,
                       const MemoryPlans& b, const MemoryProfile& profileB, const ModuleMatching& matching) {
  const PeakDiff diff = diffPeaks(profileA, profileB, matching);
  PeakComparison made{.plan = std::move(plan),
                      .bytesA = profileA.peakBytes,
                      .bytesB = profileB.peakBytes,
                      .atA = nameAtPeak(a, profileA),
                      .atB = nameAtPeak(b, profileB),
                      .onlyA = rowsOf(a, profileA, diff.onlyA, &PeakRow::bytesA),
                      .onlyB = rowsOf(b, profileB, diff.onlyB, &PeakRow::bytesB)};
  for (const PeakBoth& both : diff.both) {
    if (both.bytesA == both.bytesB) {
      ++made.samePlaces;
      made.sameBytes += both.bytesA;
      continue;
    }
    PeakRow& row = made.resized.emplace_back(rowOf(a, profileA.values[both.valueA]));
    row.bytesA = both.bytesA;
    row.bytesB = both.bytesB;
    row.otherName = profileB.values[both.valueB].name;
  }
  std::ranges::stable_sort(made.resized, std::greater(),
                           [](const PeakRow& row) { return std::abs(row.bytesA - row.bytesB); });
  return made;
}

}  // namespace

Result<std::vector<PeakComparison>> comparePeaks(const MemoryPlans& a, const MemoryPlans& b) {
  const ModuleMatching matching = matchModules(*a.module, *b.module, a.module == b.module);
  std::vector<PeakComparison> list;
  if (a.xla && b.xla) list.push_back(compare("XLA", a, a.xla->profile, b, b.xla->profile, matching));
  if (a.hilo && b.hilo) list.push_back(compare("Hilo", a, a.hilo->profile, b, b.hilo->profile, matching));
  if (list.empty())
    return fail("no-plan", "there are no plans of the same kind of both modules", {.file = b.path},
                {"leave out --plan, or give modules that both have a plan of XLA's"});
  return list;
}

}  // namespace hilo
