#include "core/runtime/thunk/host/thunk.h"

namespace hilo {

Status execute(const KernelThunk& thunk, const ThunkContext& context) {
  absl::InlinedVector<void*, 16> buffers;
  for (const ReadSlice& slice : thunk.arguments) buffers.push_back(context.at(slice));
  for (const WriteSlice& slice : thunk.results) buffers.push_back(context.at(slice));
  const KernelCall& kernel = context.kernels[thunk.kernel];
  const bool areSeveralPieces = thunk.iterations >= 2 * thunk.grain;
  if (!areSeveralPieces || !context.threads.isWorthSharing(context.thunk->costNs)) {
    callKernel(kernel, buffers.data(), 0, thunk.iterations);
  } else {
    context.threads.parallelFor(thunk.iterations, thunk.grain, [&](int64_t begin, int64_t end) {
      callKernel(kernel, buffers.data(), begin, end);
    });
  }
  return {};
}

}  // namespace hilo
