#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const WhileThunk& thunk, const ThunkContext& context) {
  while (true) {
    if (context.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    TRY_STATUS(context.runSequence(thunk.condition));
    if (*context.at(thunk.test) == std::byte{0}) return {};
    TRY_STATUS(context.runSequence(thunk.body));
  }
}

}  // namespace hilo
