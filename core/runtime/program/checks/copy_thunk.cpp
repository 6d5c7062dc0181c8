#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

Status check(const CopyThunk& thunk, const CheckedThunk& at) {
  if (thunk.source.sizeBytes != thunk.destination.sizeBytes)
    return at.malformed("copies between different sizes");
  return {};
}

}  // namespace hilo
