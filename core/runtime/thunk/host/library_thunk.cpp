#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

// In the place of the library.
Status execute(const LibraryThunk& thunk, const ThunkContext& context) {
  std::vector<const std::byte*> operands;
  for (const ReadSlice& slice : thunk.operands) operands.push_back(context.at(slice));
  std::vector<std::byte*> results;
  for (const WriteSlice& slice : thunk.results) results.push_back(context.at(slice));
  return context.runHosted(thunk.substitute, std::move(operands), std::move(results));
}

}  // namespace hilo
