// The thunks of a study by who runs them. Private to the room.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// Thunks side by side: those of the program, or of one part of what a thunk runs.
struct StudiedSequence {
  uint32_t parent = StudiedThunk::kNone;
  std::string part;
  std::vector<uint32_t> thunks;
};

// By the first thunk of each.
std::vector<StudiedSequence> sequencesOf(const ThunkStudy& study);
// Positions in them by parent.
std::map<uint32_t, std::vector<size_t>> byParent(const std::vector<StudiedSequence>& sequences);

}  // namespace hilo
