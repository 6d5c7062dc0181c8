// Sums of products for many rows at once: the inner loop of dot and convolution.
#pragma once

#include <cstdint>
#include <span>

namespace hilo {

// A row of sums, one a column of a matrix, and the factors its lines are multiplied by before they are added.
template <typename T>
struct DotRow {
  T* sums = nullptr;
  const T* factors = nullptr;
};

// A matrix wherever it lies: element [line][column] is first[line * lineStride + column * columnStride].
template <typename T>
struct ProductMatrix {
  const T* first = nullptr;
  int64_t lines = 0, columns = 0;
  int64_t lineStride = 0, columnStride = 0;
};

// Adds factors[0] * matrix[0], factors[1] * matrix[1], ... to the sums of each row, in this order. Each
// product is rounded, then added; `areExact` says that none is rounded, so that the processor may do both at
// once: the sums are the same to the bit. The rows' sums do not overlap.
template <typename T>
void addProducts(std::span<const DotRow<T>> rows, const ProductMatrix<T>& matrix, bool areExact);

}  // namespace hilo
