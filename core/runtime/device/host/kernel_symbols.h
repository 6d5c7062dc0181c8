// The functions of the C library that compiled kernels may call, by name. Nothing else resolves.
#pragma once

#include <string_view>

namespace hilo {

// Null when kernels may not call it.
void* kernelSymbol(std::string_view name);

}  // namespace hilo
