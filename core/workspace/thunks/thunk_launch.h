// How a GPU launches the kernels of a study: blocks, and threads of each.
#pragma once

#include <optional>
#include <vector>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

struct ThunkLaunch {
  uint64_t blocks = 1;
  uint64_t threads = 1;  // of a block
  friend bool operator==(const ThunkLaunch&, const ThunkLaunch&) = default;
};

// By thunk: of a program for a GPU as its launches are set, of XLA's as its executable or its printed
// sequence says. nullopt: no kernel of a GPU, or not told.
std::vector<std::optional<ThunkLaunch>> launchesOf(const ThunkStudy& study);

}  // namespace hilo
