#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {

Status check(const KernelThunk& thunk, const CheckedThunk& at) {
  if (thunk.iterations < 0 || thunk.grain < 1) return at.malformed("has no iterations");
  const size_t buffers = thunk.arguments.size() + thunk.results.size();
  for (const uint32_t place : at.program.kernels[thunk.kernel].launch.parameters) {
    if (place >= buffers) return at.malformed("has no buffer for its kernel");
  }
  return {};
}

}  // namespace hilo
