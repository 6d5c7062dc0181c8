// How compiled code for the host is called.
#pragma once

#include <cstdint>
#include <functional>

namespace hilo {

// A compiled kernel: does iterations [begin, end) on its buffers, arguments first, then results.
using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end);

// Code made by our compiler has no type before its entry, where UndefinedBehaviorSanitizer would
// look for one.
#if defined(__clang__)
#define HILO_CALLS_COMPILED_CODE __attribute__((no_sanitize("function")))
#else
#define HILO_CALLS_COMPILED_CODE
#endif
HILO_CALLS_COMPILED_CODE inline void callKernel(KernelFunction kernel, void* const* buffers, int64_t begin,
                                                int64_t end) {
  kernel(buffers, begin, end);
}

// A kernel as thunks of the host call it: code of the host, or where kernels run elsewhere, what runs it
// there on arrays of the host. Any thread.
struct KernelCall {
  KernelFunction function = nullptr;
  std::function<void(void* const* buffers, int64_t begin, int64_t end)> elsewhere = nullptr;
};
inline void callKernel(const KernelCall& kernel, void* const* buffers, int64_t begin, int64_t end) {
  if (kernel.function != nullptr) [[likely]]
    return callKernel(kernel.function, buffers, begin, end);
  kernel.elsewhere(buffers, begin, end);
}

}  // namespace hilo
