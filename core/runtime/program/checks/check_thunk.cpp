#include "core/runtime/program/checks/check_thunk.h"

#include <fmt/format.h>

namespace hilo {

std::unexpected<Diagnostic> CheckedThunk::malformed(std::string_view what) const {
  return fail("malformed-program", fmt::format("{} {}", name, what));
}

}  // namespace hilo
