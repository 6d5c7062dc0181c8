// How compiled code for the host is called.
#pragma once

#include <cstdint>

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

}  // namespace hilo
