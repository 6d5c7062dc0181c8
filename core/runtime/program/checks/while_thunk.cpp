#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

Status check(const WhileThunk& thunk, const CheckedThunk& at) {
  if (thunk.test.sizeBytes < 1) return at.malformed("tests nothing");
  return {};
}

}  // namespace hilo
