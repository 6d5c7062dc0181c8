// Arrays written in the order of memory: the same bytes, the dimension that varies slowest first, row-major.
// For arrays with a layout that is an order of dimensions, and perhaps a size of elements, alone.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

using Dims = std::vector<int64_t>;

bool hasOrder(Shape shape);
// The same, or with a size of elements beside.
bool hasOrderOfElements(Shape shape);
// The dimensions from major to minor.
Dims orderOf(Shape shape);
// Where each dimension stands in that order.
Dims placesOf(Shape shape);
Shape inMemory(Shape shape);
// The value as it lies in memory.
Instruction* normal(Instruction* value, Instruction& before);
// A transpose of a row-major value with neighbours that stay together made one dimension.
Instruction* groupedTranspose(Instruction* value, const Dims& permutation, Instruction& before);

template <typename T>
std::vector<T> permuted(std::span<const T> items, const Dims& order) {
  std::vector<T> result;
  for (const int64_t d : order) result.push_back(items[static_cast<size_t>(d)]);
  return result;
}

}  // namespace hilo
