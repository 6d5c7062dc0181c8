// SHA-256 (FIPS 180-4): the hash that JAX gives kernels.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

// 32 bytes.
std::string sha256(std::string_view bytes);

}  // namespace hilo
