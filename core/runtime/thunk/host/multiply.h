// Matrix products by oneDNN, for the thunks that have some.
#pragma once

#include <array>

#include "core/runtime/program/thunks.h"

namespace hilo {

int64_t matrixCount(const DotThunk& dot);
// Of the batch's last dimension, rows and columns.
std::array<int64_t, 3> innerStrides(const DotThunk& dot, const std::vector<int64_t>& strides);
// Where matrix `number` of the batch begins, in elements.
int64_t matrixStart(const DotThunk& dot, const std::vector<int64_t>& strides, int64_t number);

// [batch, m, k] by [batch, k, n] with types, k and inner strides of `dot`, whose other fields do not matter.
// Throws what oneDNN does. As many of its threads as setLibraryThreads says.
void multiplyMatrices(const DotThunk& dot, int64_t batch, int64_t m, int64_t n, const std::byte* lhs,
                      const std::byte* rhs, std::byte* result);

// The right side of one matrix in the order that is best for dots of `rows` rows: how many bytes it
// takes, it brought there, and [m, k] by it. Strides, types and sizes are those of `dot`.
size_t orderedRightBytes(const DotThunk& dot, int64_t rows);
void orderRight(const DotThunk& dot, int64_t rows, const std::byte* rhs, std::byte* ordered);
void multiplyByOrdered(const DotThunk& dot, int64_t rows, int64_t m, const std::byte* lhs,
                       const std::byte* ordered, std::byte* result);

}  // namespace hilo
