#include <numeric>

#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

constexpr size_t kLongestName = 64;

// Edits between two names, counted only up to `limit`.
size_t editDistance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > kLongestName || b.size() > kLongestName) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    size_t best = row[0];
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
      best = std::min(best, row[j + 1]);
    }
    if (best > limit) return limit + 1;
  }
  return row.back();
}

}  // namespace

std::vector<std::string> didYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  const size_t limit = name.size() <= 4 ? 1 : 2;
  size_t best = limit + 1;
  std::string_view closest;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > name.size() + limit || name.size() > candidate.size() + limit) continue;
    const size_t distance = editDistance(name, candidate, limit);
    // The earlier in the alphabet of equals, so that the answer does not depend on a table's order.
    if (distance < best || (distance == best && candidate < closest)) {
      best = distance;
      closest = candidate;
    }
  }
  if (best > limit) return {};
  return {fmt::format("did you mean '{}'?", closest)};
}

}  // namespace hilo
