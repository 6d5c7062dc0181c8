// What differs between the thunks of two studies: of two executables, of an executable and
// what Hilo compiled.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// A field of the thunk itself; "" on the side that does not have it.
struct ChangedField {
  std::string name, before, after;
};

struct ThunkChange {
  enum class Kind : uint8_t { Removed, Added, Changed };
  Kind kind = Kind::Changed;
  uint32_t before = StudiedThunk::kNone, after = StudiedThunk::kNone;  // kNone of what is added, removed
  // Of what is changed: "name", "description", "reads", "writes", "waits for", and of each field of
  // `fields` its name.
  std::vector<std::string> what;
  std::vector<ChangedField> fields;
};

// Thunks are matched by kind, and by name where they can be, within the sequences that matched thunks run, in
// order: what went elsewhere is removed and added. Where bytes lie is no difference by itself: of slices the
// sizes are compared, and whose bytes these are shows in what waits for what. In the order of `after`; what
// is removed comes last. Fields are compared where comparesFields.
std::vector<ThunkChange> diffThunks(const ThunkStudy& before, const ThunkStudy& after);

// Both are of Hilo's compiler, or both of XLA's: thunks of the two have other fields for the same work.
bool comparesFields(const ThunkStudy& before, const ThunkStudy& after);

}  // namespace hilo
