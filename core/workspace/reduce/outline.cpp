#include <algorithm>

#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

constexpr size_t kParts = 8;  // of the entry that a stretch is one or four of
constexpr size_t kLeast = 2 * kParts;

void addStretches(const std::vector<MoveSite>& all, size_t length, std::vector<MoveSite>& sites) {
  for (size_t first = 0; first + length <= all.size(); first += std::max<size_t>(1, length / 2))
    sites.push_back({all[first].instruction, static_cast<int64_t>(length)});
}

}  // namespace

// Stretches overlap by half: what shows the failure need not end where one begins.
std::vector<MoveSite> outlineSites(const Module& module) {
  std::vector<MoveSite> sites;
  const std::vector<MoveSite> all = leaveOutSites(module);
  if (all.size() < kLeast) return sites;
  addStretches(all, all.size() / 2, sites);
  addStretches(all, all.size() / kParts, sites);
  return sites;
}

// One stretch stays.
bool outline(Draft& draft, std::span<const MoveSite> at) {
  if (at.size() != 1 || at[0].part <= 0) return false;
  std::vector<MoveSite> rest = leaveOutSites(*draft.module);
  const auto first = std::ranges::find(rest, at[0].instruction, &MoveSite::instruction);
  if (first == rest.end()) return false;
  rest.erase(first, first + std::min<std::ptrdiff_t>(at[0].part, rest.end() - first));
  return !rest.empty() && leaveOut(draft, rest);
}

}  // namespace hilo
