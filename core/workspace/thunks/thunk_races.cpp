// Whether the hazards of a study order all thunks that touch the same bytes.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {
namespace {

struct Toucher {
  uint32_t thunk = 0;  // place among those side by side
  const ThunkUse* use = nullptr;
};

// Thunks side by side, and what comes before each.
class Siblings {
 public:
  explicit Siblings(std::vector<uint32_t> thunks) : thunks_(std::move(thunks)) {
    for (uint32_t place = 0; place < thunks_.size(); ++place) placeOf_[thunks_[place]] = place;
    before_.assign(thunks_.size(), std::vector<uint64_t>((thunks_.size() + 63) / 64));
  }

  // Hazards in the order of the thunks that wait: what is before the earlier one is then known.
  void order(std::span<const ThunkHazard* const> hazards) {
    for (const ThunkHazard* hazard : hazards) {
      const auto from = placeOf_.find(hazard->from), to = placeOf_.find(hazard->to);
      if (from == placeOf_.end() || to == placeOf_.end()) continue;
      auto& mine = before_[to->second];
      const auto& theirs = before_[from->second];
      for (size_t word = 0; word < mine.size(); ++word) mine[word] |= theirs[word];
      mine[from->second / 64] |= uint64_t{1} << (from->second % 64);
    }
  }

  void touch(uint32_t thunk, const ThunkUse& use) {
    touched_[use.allocation].push_back({placeOf_.at(thunk), &use});
  }

  // Of each allocation the uses by where they begin: those that reach past the next one's begin overlap it.
  void findRaces(std::vector<ThunkRace>& races) {
    std::map<std::pair<uint32_t, uint32_t>, const ThunkUse*> found;
    for (auto& [allocation, touchers] : touched_) {
      std::ranges::sort(touchers, {}, [](const Toucher& t) { return t.use->offsetBytes; });
      for (size_t i = 0; i < touchers.size(); ++i) {
        for (size_t k = i + 1;
             k < touchers.size() && touchers[k].use->offsetBytes < touchers[i].use->endBytes(); ++k) {
          const Toucher& a = touchers[i];
          const Toucher& b = touchers[k];
          if (a.thunk == b.thunk || !(a.use->writes || b.use->writes) || !a.use->overlaps(*b.use)) continue;
          const auto pair = std::minmax(a.thunk, b.thunk);
          if (!isBefore(pair.first, pair.second) && !isBefore(pair.second, pair.first))
            found.try_emplace(pair, a.use->writes ? a.use : b.use);
        }
      }
    }
    for (const auto& [pair, use] : found) races.push_back({thunks_[pair.first], thunks_[pair.second], *use});
  }

 private:
  bool isBefore(uint32_t a, uint32_t b) const { return (before_[b][a / 64] >> (a % 64) & 1) != 0; }

  std::vector<uint32_t> thunks_;
  absl::flat_hash_map<uint32_t, uint32_t> placeOf_;
  std::vector<std::vector<uint64_t>> before_;  // by place: the bits of those that come before
  std::map<uint32_t, std::vector<Toucher>> touched_;
};

}  // namespace

std::vector<ThunkRace> findRaces(const ThunkStudy& study) {
  std::map<std::pair<uint32_t, std::string_view>, std::vector<uint32_t>> groups;
  for (uint32_t i = 0; i < study.thunks.size(); ++i)
    groups[{study.thunks[i].parent, study.thunks[i].part}].push_back(i);
  std::vector<const ThunkHazard*> hazards;
  for (const ThunkHazard& hazard : study.hazards) hazards.push_back(&hazard);
  std::ranges::sort(hazards, {}, [](const ThunkHazard* h) { return std::pair(h->to, h->from); });
  std::vector<ThunkRace> races;
  for (auto& [key, thunks] : groups) {
    if (thunks.size() < 2) continue;
    std::vector<uint32_t> root(study.thunks.size(), StudiedThunk::kNone);
    for (const uint32_t thunk : thunks) root[thunk] = thunk;
    Siblings siblings(thunks);
    siblings.order(hazards);
    // What a thunk runs stands after it: its use is that of whichever of these runs it.
    for (uint32_t i = thunks.front(); i < study.thunks.size(); ++i) {
      if (root[i] == StudiedThunk::kNone && study.thunks[i].parent != StudiedThunk::kNone)
        root[i] = root[study.thunks[i].parent];
      if (root[i] == StudiedThunk::kNone) continue;
      for (const ThunkUse& use : study.thunks[i].uses) siblings.touch(root[i], use);
    }
    siblings.findRaces(races);
  }
  return races;
}

Diagnostic diagnosticOf(const ThunkStudy& study, const ThunkRace& race) {
  return {Severity::kError, "data-race",
          fmt::format("{} and {} have a data race: {}", study.thunks[race.first].name,
                      study.thunks[race.second].name, race.use.place)};
}

}  // namespace hilo
