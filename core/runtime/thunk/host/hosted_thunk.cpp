#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const HostedThunk& thunk, const ThunkContext& context) {
  std::vector<const std::byte*> operands;
  for (const ReadSlice& slice : thunk.operands) operands.push_back(context.at(slice));
  std::vector<std::byte*> results;
  for (const WriteSlice& slice : thunk.results) results.push_back(context.at(slice));
  return context.runHosted(thunk.program, std::move(operands), std::move(results));
}

}  // namespace hilo
