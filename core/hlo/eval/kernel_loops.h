// Loops that turn a function on elements into a KernelFn. The function is a captureless lambda.
#pragma once

#include "core/hlo/eval/kernel.h"

namespace hilo {

template <typename Out, typename In, typename F>
KernelFn unaryLoop(F) {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs&) {
    Out* to = static_cast<Out*>(out);
    const In* a = static_cast<const In*>(in[0]);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(F{}(a[i]));
  };
}

template <typename Out, typename In, typename F>
KernelFn unaryLoopWithArgs(F) {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs& args) {
    Out* to = static_cast<Out*>(out);
    const In* a = static_cast<const In*>(in[0]);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(F{}(a[i], args));
  };
}

template <typename Out, typename In, typename F>
KernelFn binaryLoop(F) {
  return [](void* out, const void* const* in, int64_t count, const KernelArgs&) {
    Out* to = static_cast<Out*>(out);
    const In* a = static_cast<const In*>(in[0]);
    const In* b = static_cast<const In*>(in[1]);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(F{}(a[i], b[i]));
  };
}

}  // namespace hilo
