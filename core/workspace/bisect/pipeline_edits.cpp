#include "core/workspace/bisect/pipeline_edits.h"

#include <fmt/format.h>

#include "core/analysis/diff/sequence_alignment.h"

namespace hilo {

std::string PipelineEdit::text() const {
  if (!from) return "+ " + passText(*to);
  if (!to) return "- " + passText(*from);
  return fmt::format("{} -> {}", passText(*from), passText(*to));
}

PipelineEdits::PipelineEdits(const std::vector<ConfiguredPass>& from, const std::vector<ConfiguredPass>& to) {
  constexpr uint32_t kSame = 4, kOtherSettings = 3;
  const auto score = [&](uint32_t a, uint32_t b) -> uint32_t {
    if (from[a].pass->name != to[b].pass->name) return 0;
    return passText(from[a]) == passText(to[b]) ? kSame : kOtherSettings;
  };
  const auto pairs =
      alignSequences(static_cast<uint32_t>(from.size()), static_cast<uint32_t>(to.size()), kSame, score);
  const auto edit = [&](std::optional<ConfiguredPass> old, std::optional<ConfiguredPass> made) {
    places_.push_back({std::nullopt, edits_.size()});
    edits_.push_back({std::move(old), std::move(made)});
  };
  size_t a = 0, b = 0;
  const auto fillUpTo = [&](size_t endA, size_t endB) {
    for (; a < endA; ++a) edit(from[a], std::nullopt);
    for (; b < endB; ++b) edit(std::nullopt, to[b]);
  };
  for (const auto& [left, right] : pairs) {
    fillUpTo(left, right);
    score(left, right) == kSame ? places_.push_back({from[left]}) : edit(from[left], to[right]);
    a = left + 1;
    b = right + 1;
  }
  fillUpTo(from.size(), to.size());
}

std::vector<ConfiguredPass> PipelineEdits::passesWith(size_t count) const {
  std::vector<ConfiguredPass> passes;
  for (const Place& place : places_) {
    if (place.same) {
      passes.push_back(*place.same);
      continue;
    }
    const PipelineEdit& edit = edits_[place.edit];
    if (const auto& chosen = place.edit < count ? edit.to : edit.from) passes.push_back(*chosen);
  }
  return passes;
}

}  // namespace hilo
