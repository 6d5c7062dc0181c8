#include "core/workspace/thunks/thunk_sequences.h"

#include <absl/container/flat_hash_map.h>

namespace hilo {

std::vector<StudiedSequence> sequencesOf(const ThunkStudy& study) {
  std::vector<StudiedSequence> sequences;
  absl::flat_hash_map<std::pair<uint32_t, std::string_view>, size_t> places;
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    const auto [place, isNew] = places.try_emplace({thunk.parent, thunk.part}, sequences.size());
    if (isNew) sequences.push_back({thunk.parent, thunk.part, {}});
    sequences[place->second].thunks.push_back(i);
  }
  return sequences;
}

std::map<uint32_t, std::vector<size_t>> byParent(const std::vector<StudiedSequence>& sequences) {
  std::map<uint32_t, std::vector<size_t>> positions;
  for (size_t i = 0; i < sequences.size(); ++i) positions[sequences[i].parent].push_back(i);
  return positions;
}

}  // namespace hilo
