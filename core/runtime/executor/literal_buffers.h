// Between literals, which are row-major, and buffers, which lie in the order of their layout.
#pragma once

#include "core/hlo/ir/literal.h"

namespace hilo {

// True when a literal's bytes are the buffer's as they are.
bool isRowMajor(Shape array);
void copyToBuffer(std::byte* buffer, const Literal& literal, Shape shape);
void copyFromBuffer(Literal& literal, const std::byte* buffer, Shape shape);

}  // namespace hilo
