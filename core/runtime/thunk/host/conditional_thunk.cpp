#include <cstring>

#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const ConditionalThunk& thunk, const ThunkContext& context) {
  size_t branch = 0;
  if (thunk.byPred) {
    branch = *context.at(thunk.selector) != std::byte{0} ? 0 : 1;
  } else {
    int32_t number = 0;
    std::memcpy(&number, context.at(thunk.selector), sizeof(number));
    const auto count = static_cast<int64_t>(thunk.branches.size());
    branch = static_cast<size_t>(number < 0 || number >= count ? count - 1 : number);
  }
  return context.runSequence(thunk.branches[branch]);
}

}  // namespace hilo
