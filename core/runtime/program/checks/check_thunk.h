// What each kind of thunk may hold, one kind a file: a program can come from a file. When it is asked, every
// slice of the thunk lies in its allocation, and every place is in its table. Private to the room.
#pragma once

#include <string_view>

#include "core/runtime/program/program.h"

namespace hilo {

struct CheckedThunk {
  const Program& program;
  std::string_view name;

  // "NAME WHAT".
  std::unexpected<Diagnostic> malformed(std::string_view what) const;
};

#define THUNK(name, ...) Status check(const name##Thunk& thunk, const CheckedThunk& at);
HILO_THUNKS(THUNK)
#undef THUNK

}  // namespace hilo
