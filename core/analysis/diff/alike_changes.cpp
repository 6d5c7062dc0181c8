#include "core/analysis/diff/alike_changes.h"

#include <fmt/format.h>

#include "core/analysis/diff/diff_patterns.h"

namespace hilo {

std::vector<AlikeChanges> alikeChanges(const Module& before, const Module& after, const StepDiff& diff) {
  std::vector<AlikeChanges> rows;
  for (ChangeGroup& g : groupChanges(before, after, diff)) {
    std::string what = g.what;
    if (!g.detail.empty()) what += (what.empty() ? "" : ", ") + g.detail;
    rows.push_back({.kind = g.kind,
                    .count = g.members.size(),
                    .opcode = std::move(g.opcode),
                    .what = std::move(what),
                    .members = std::move(g.members)});
  }
  for (DiffPattern& p : findDiffPatterns(before, after, diff)) {
    AlikeChanges row{.isPattern = true,
                     .count = p.occurrences.size(),
                     .opcode = fmt::format("{} changes", p.changes),
                     .what = fmt::format("{}", fmt::join(p.lines, "; "))};
    for (const auto& occurrence : p.occurrences)
      row.members.insert(row.members.end(), occurrence.begin(), occurrence.end());
    rows.push_back(std::move(row));
  }
  if (diff.reordered.empty()) return rows;
  AlikeChanges order{.kind = ChangeKind::Reordered, .count = diff.reordered.size(), .what = "order"};
  for (size_t n = 0; n < diff.reordered.size(); ++n) order.members.push_back(diff.changes.size() + n);
  rows.push_back(std::move(order));
  return rows;
}

}  // namespace hilo
