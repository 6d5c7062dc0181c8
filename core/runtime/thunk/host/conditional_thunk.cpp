#include <cstring>

#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

size_t branchChosen(const ConditionalThunk& thunk, const std::byte* selector) {
  if (thunk.byPred) return *selector != std::byte{0} ? 0 : 1;
  int32_t number = 0;
  std::memcpy(&number, selector, sizeof(number));
  const auto count = static_cast<int64_t>(thunk.branches.size());
  return static_cast<size_t>(number < 0 || number >= count ? count - 1 : number);
}

Status execute(const ConditionalThunk& thunk, const ThunkContext& context) {
  return context.runSequence(thunk.branches[branchChosen(thunk, context.at(thunk.selector))]);
}

}  // namespace hilo
