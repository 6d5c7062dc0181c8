// Private to the room: printf of a kernel (vprintf of CUDA's device runtime).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hilo {

// Arguments lie one after the other, each at a multiple of its size: 4 bytes of an int, 8 of a double, a long
// and a string's address. The number of arguments.
uint32_t printAsDevice(std::string& output, const char* format, const std::byte* arguments);

}  // namespace hilo
