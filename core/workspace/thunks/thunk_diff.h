// What differs between the thunks of two studies: of two executables, of an executable and
// what Hilo compiled.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

struct ThunkChange {
  enum class Kind : uint8_t { Removed, Added, Changed };
  Kind kind = Kind::Changed;
  uint32_t before = StudiedThunk::kNone, after = StudiedThunk::kNone;  // kNone of what is added, removed
  // Of what is changed: "name", "description", "reads", "writes", "waits for".
  std::vector<std::string> what;
};

// Thunks are matched by kind, and by name where they can be, within the sequences that matched thunks run, in
// order: what went elsewhere is removed and added. Where bytes lie is no difference by itself: of slices the
// sizes are compared, and whose bytes these are shows in what waits for what. In the order of `after`; what
// is removed comes last.
std::vector<ThunkChange> diffThunks(const ThunkStudy& before, const ThunkStudy& after);

}  // namespace hilo
