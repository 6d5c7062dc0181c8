#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

Status check(const ConditionalThunk& thunk, const CheckedThunk& at) {
  if (thunk.branches.empty()) return at.malformed("has no branch");
  if (thunk.byPred && thunk.branches.size() != 2) return at.malformed("chooses by pred among other than two");
  if (thunk.selector.sizeBytes < (thunk.byPred ? 1 : 4)) return at.malformed("has no selector");
  return {};
}

}  // namespace hilo
