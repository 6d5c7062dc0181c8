// Layouts with which a copy that is live at the peak is not needed.
#include "core/workspace/layouts/layout_advice.h"
#include "core/workspace/peak/peak_proposals.h"

namespace hilo {

constexpr size_t kMost = 3;  // each is a compilation

Result<std::vector<PeakChange>> changeLayouts(const PeakBase& base, const JobContext& context) {
  std::vector<PeakChange> changes;
  if (base.uncompiled == nullptr || isLaidOut(*base.uncompiled)) return changes;
  TRY(const auto study, makeLayoutStudy({.module = base.uncompiled, .device = base.device}, context));
  absl::flat_hash_set<std::string_view> live;
  for (const Instruction* instruction : liveAtPeak(base)) live.insert(instruction->name());
  for (const LayoutRow& row : study->rows) {
    if (!row.move.costs() || !(live.contains(row.move.name) || live.contains(row.move.kernelName))) continue;
    for (LayoutAdvice& advice : adviceFor(*study, row.move)) {
      const auto isSame = [&](const PeakChange& change) { return change.layout == advice.constraint; };
      if (!advice.constraint || std::ranges::any_of(changes, isSame)) continue;
      if (changes.size() == kMost) return changes;
      changes.push_back({.text = std::move(advice.text), .layout = std::move(advice.constraint)});
    }
  }
  return changes;
}

}  // namespace hilo
