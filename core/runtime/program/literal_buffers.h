// Between literals, which are row-major, and buffers, which lie in the order of their layout.
#pragma once

#include <cstddef>
#include <vector>

#include "core/hlo/ir/literal.h"

namespace hilo {

// True when a literal's bytes are the buffer's as they are.
bool isRowMajor(Shape array);
void copyToBuffer(std::byte* buffer, const std::byte* rowMajor, Shape shape);
void copyFromBuffer(std::byte* rowMajor, const std::byte* buffer, Shape shape);

// The arrays of a list of literals, those in tuples too, in order.
std::vector<const Literal*> arrayLeaves(std::span<const Literal> list);
std::vector<Literal*> mutableArrayLeaves(Literal& literal);
// Whether two lists hold the very same bytes in memory; equal ones elsewhere do not count.
bool shareBytes(std::span<const Literal> a, std::span<const Literal> b);

}  // namespace hilo
