#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

Status check(const LibraryThunk& thunk, const CheckedThunk& at) {
  std::vector<int64_t> operands, results;
  for (const BufferSlice& slice : thunk.operands) operands.push_back(slice.sizeBytes);
  for (const BufferSlice& slice : thunk.results) results.push_back(slice.sizeBytes);
  return checkLibraryCall(thunk.call, operands, results, at.name);
}

}  // namespace hilo
