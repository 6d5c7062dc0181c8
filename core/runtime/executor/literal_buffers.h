// Between literals, which are row-major, and buffers, which lie in the order of their layout.
#pragma once

#include <cstddef>

#include "core/hlo/ir/shape.h"

namespace hilo {

// True when a literal's bytes are the buffer's as they are.
bool isRowMajor(Shape array);
void copyToBuffer(std::byte* buffer, const std::byte* rowMajor, Shape shape);
void copyFromBuffer(std::byte* rowMajor, const std::byte* buffer, Shape shape);

}  // namespace hilo
