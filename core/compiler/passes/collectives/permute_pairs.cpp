#include "core/compiler/passes/collectives/permute_pairs.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace hilo {

SourceTargetPairs writtenPairs(const Instruction& permute) {
  SourceTargetPairs pairs;
  for (const auto pair : permute.get<Attr::SourceTargetPairs>()) {
    if (pair.size() == 2) pairs.emplace_back(pair[0], pair[1]);
  }
  return pairs;
}

std::string pairsText(const SourceTargetPairs& pairs) {
  std::string text = "{";
  for (const auto& [source, target] : pairs)
    text += fmt::format("{}{{{},{}}}", text.size() == 1 ? "" : ",", source, target);
  return text + "}";
}

bool hasCycle(const SourceTargetPairs& pairs) {
  const absl::flat_hash_map<int64_t, int64_t> next(pairs.begin(), pairs.end());
  absl::flat_hash_set<int64_t> leadsOut;
  for (const auto& [start, first] : pairs) {
    absl::flat_hash_set<int64_t> path;
    for (int64_t at = start; !leadsOut.contains(at); at = next.at(at)) {
      if (!path.insert(at).second) return true;
      if (!next.contains(at)) break;
    }
    leadsOut.insert(path.begin(), path.end());
  }
  return false;
}

bool closesRing(const SourceTargetPairs& back, const SourceTargetPairs& others) {
  const auto last = static_cast<int64_t>(others.size());
  if (back.size() != 1) return false;
  SourceTargetPairs forward, backward;
  for (int64_t i = 0; i < last; ++i) {
    forward.emplace_back(i, i + 1);
    backward.emplace_back(i + 1, i);
  }
  return (back[0] == std::pair<int64_t, int64_t>(last, 0) && others == forward) ||
         (back[0] == std::pair<int64_t, int64_t>(0, last) && others == backward);
}

}  // namespace hilo
