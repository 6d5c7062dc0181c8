// What two thunks have to do with each other's bytes. Private to the room.
#pragma once

#include <span>

#include "core/runtime/program/buffer_slice.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// `before` and `after` are what a thunk and a later one use, what they run counted as theirs. Of very many
// uses not all pairs are looked at: what could not be told in time is left unsaid.
ThunkHazard hazardBetween(std::span<const BufferUse> before, std::span<const BufferUse> after);

}  // namespace hilo
